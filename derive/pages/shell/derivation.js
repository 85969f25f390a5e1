// The derivation of an answer: each relation as stated, rearranged, with numbers put in, and the value.

// The steps in use, as LaTeX lines: [left, right] with an empty left where the line above goes on.
function stepsOf(state, answer, numbers) {
  if (!answer.run) return [];
  const {program, y} = answer.run, found = [];
  for (const {text, at} of program.steps) {
    const step = page.steps[text];
    if (y[at] < 0) continue;
    const form = step.forms[y[at]];
    found.push({relation: step.relation, because: step.because, lines: linesOf(state, step, form, numbers), quantities: step.quantities});
  }
  return found;
}

function linesOf(state, step, form, numbers) {
  const lines = step.equation_latex.map(sidesOf), letter = (name) => page.letters[name] || name;
  if (form) {
    const left = letter(step.quantities[0]);
    if (!lines.some(([one, other]) => one === left && other === form.latex)) lines.push([left, form.latex]);
    if (form.names.length && form.latex !== letter(form.names[0])) {
      lines.push(["", form.numbers.replace(/\\mathrm\{@(\d+)@\}/g, (_, i, at) => operandOf(form.numbers.slice(0, at), amountOf(state, form.names[i], numbers[form.names[i]])))]);
    }
    lines.push(["", amountOf(state, step.quantities[0], numbers[step.quantities[0]])]);
  } else for (const name of step.quantities) lines.push([letter(name), amountOf(state, name, numbers[name])]);
  return lines;
}

// An equation's two sides; a bound has no equals sign and stays whole.
function sidesOf(equation) {
  const at = equation.indexOf(" = ");
  return at < 0 ? [equation, null] : [equation.slice(0, at), equation.slice(at + 3)];
}

// A number where another stands in a form: a negative one has brackets after a sign.
function operandOf(before, shown) {
  return shown.startsWith("-") && /[^\s{(]\s*$/.test(before) ? `\\left(${shown}\\right)` : shown;
}

function amountOf(state, name, number) {
  const unit = unitOf(state, name), isOwn = unit.text === page.quantities[name].units[0][0] && !state.units[name];
  const shown = shownIn(name, number, unit);
  return amountLatex(...(isOwn ? prefixed(shown, unit.text) : [shown, unit.text]), 6);
}

function drawnSteps(steps) {
  return steps.map((step, i) => {
    const rows = step.lines.map(([left, right]) => (right === null
      ? `<mtr><mtd></mtd><mtd></mtd><mtd>${mathOf(left)}</mtd></mtr>`
      : `<mtr><mtd>${mathOf(left)}</mtd><mtd><mo>=</mo></mtd><mtd>${mathOf(right)}</mtd></mtr>`));
    const why = step.because ? `<span class="soft">, ${escaped(step.because)}</span>` : "";
    return `<li><p><b>${escaped(step.relation)}</b>${why}</p>`
      + `<div class="formula" tabindex="0" role="group" aria-label="step ${i + 1}"><math display="block"><mtable displaystyle="true" class="aligned">${rows.join("")}</mtable></math></div></li>`;
  }).join("");
}

function stepsLatex(steps) {
  return steps.map((step, i) => {
    const rows = step.lines.map(([left, right]) => (right === null ? `  & ${left}` : `  ${left} &= ${right}`));
    return `% ${i + 1}. ${step.relation}${step.because ? `: ${step.because}` : ""}\n\\begin{align*}\n${rows.join(" \\\\\n")}\n\\end{align*}`;
  }).join("\n");
}
