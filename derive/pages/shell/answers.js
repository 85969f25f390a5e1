// Answers: a state put through the plan of what it asks for.

const buffers = page.programs.map((program) => ({x: new Float64Array(page.inputs.length), y: new Float64Array(program.size)}));

// A plan at numbers: `numberOf` yields each input. The result is valid until the next call of the same plan.
function ran(place, numberOf) {
  const program = page.programs[place], {x, y} = buffers[place];
  for (const place of program.inputs) x[place] = numberOf(page.inputs[place]);
  kernels[program.kernel](x, y);
  return {program, x, y};
}

// What a state asks for: its number, or the reason why there is none. `changed` has other numbers of some givens, for
// curves and slopes; `near` is a number of what is asked for that is close by, where it has to be searched.
function answered(state, changed = null, near = NaN) {
  const variant = variantOf(state);
  if (typeof variant === "string") return {number: NaN, reason: sentence(`No plan answers these profiles together: ${variant}`)};
  const plan = planOf(state, variant, state.solve), numberOf = numbersOf(state, changed);
  if (typeof plan === "string") return {number: NaN, reason: plan};
  if (typeof plan === "object") return searched(state, variant, numberOf, near, plan.search);
  const run = ran(plan, numberOf), {at, why} = run.program.outputs[0], cause = causeOf(run.y[why]);
  return {number: run.y[at], reason: cause ? cause.text : "", run: changed === null ? kept(run) : run};
}

function numbersOf(state, changed) {
  return (name) => (changed !== null && Object.hasOwn(changed, name) ? changed[name] : numberIn(state, name));
}

// A run whose numbers stay when the plan is run again.
function kept(run) {
  return {...run, y: run.y.slice()};
}

function causeOf(why) {
  return why ? page.reasons[why - 1] : null;
}

function sentence(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

// Whether the state of a check is that it does not hold, or that it is undefined.
function isFailing(state) {
  return state === 2 || state === 3;
}

// The failed checks of a run, each with the numbers of both sides in base units.
function failedIn(run) {
  const {program, y} = run, found = [];
  for (const {text, left, right, state} of program.checks) {
    if (!isFailing(y[state])) continue;
    const check = page.checks[text], sides = sidesApart(check, y[left], y[right], y[state] === 3);
    const because = check.because ? ` (${check.because})` : "";
    found.push({name: check.relation, sides, verdict: `${check.relation} does not hold: ${sides}${because}`});
  }
  return [...found, ...displacedIn(run), ...barredIn(run)];
}

// The defaults that are not what comes out, or that no value fits.
function displacedIn({program, y}) {
  const told = program.yielding.filter(({state}) => isFailing(y[state]));
  return told.map(({name, said, state}) => {
    const here = () => prefixed(y[program.outputs.find((one) => one.name === name).at], page.quantities[name].units[0][0]);
    const [number, unit] = y[state] === 3 ? [] : here();
    const sides = y[state] === 3 ? "but no value of it fits here" : `but comes out as ${withUnit(digitsOf(number, 4), unit)} here`;
    return {name, sides, verdict: `${said}, ${sides}`};
  });
}

// The relations that leave what is in them no admissible value, whatever the defaults are; of those that rest on what was
// sought, an answer tests the limits alone, and what follows from the givens without it.
function barredIn({program, y, sought, overdetermined = []}) {
  const isTested = ({relation, behind}) => !behind.includes(sought) || overdetermined.includes(relation);
  const barred = program.barring.filter((limit) => y[limit.state] === 1 && isTested(limit));
  return barred.map(({relation, verdict}) => ({name: relation, sides: verdict, verdict}));
}

// The checks that a run could not settle by arithmetic.
function openIn({program, y}) {
  const checks = program.checks.filter(({state}) => y[state] === 4).map(({text}) => page.checks[text].relation);
  return [...checks, ...program.yielding.filter(({state}) => y[state] === 4).map(({name}) => name)];
}

// Both sides of a relation that does not hold, with the fewest digits that tell them apart.
function sidesApart(check, left, right, isUndefined) {
  if (isUndefined) return `${check.equation} is undefined here`;
  const told = (base, unit, digits) => { // the number that is shown, in base units
    const [number] = prefixed(base / unit.size, unit.text);
    return number ? Number(number.toPrecision(digits)) * (base / number) : base;
  };
  const ratio = (digits) => told(left, check.left_unit, digits) / told(right, check.right_unit, digits);
  const digits = [4, 7, 10].find((count) => !(Math.abs(ratio(count) - 1) <= 1e-14)) || 13;
  const less = customary(left, check.left_unit, digits), more = customary(right, check.right_unit, digits);
  if (check.op === "=") return `${check.left_text} is ${less}, and ${check.right_text} is ${more}`;
  return `${check.left_text} is ${less}, ${check.op === "<=" ? "more" : "less"} than ${check.right_text}, which is ${more}`;
}

// Which arm of each choice binds. A choice that the givens alone make is no regime, unless one of them is sought, or
// varies along a curve.
function regimeIn({program, y, sought}, over = null) {
  const found = {}, isOpen = (givens) => givens === null || givens.includes(sought) || givens.includes(over);
  for (const {relation, at, forms} of program.choices) {
    const arms = y[at] >= 0 ? forms[y[at]].filter(([, givens]) => isOpen(givens)).map(([arm]) => arm) : [];
    if (arms.length) found[relation] = [...new Set(arms)].join("; ");
  }
  return found;
}

// Every quantity's number beside an answer: the givens, what its plan works out, and what follows from both.
function numbersBeside(state, answer) {
  const variant = variantOf(state), found = Object.create(null);
  if (typeof variant === "string") return found;
  for (const name of givensOf(state)) found[name] = stated(state, name).number;
  found[state.solve] = answer.number;
  for (const name of Object.keys(page.quantities)) if (page.quantities[name].constant !== undefined) found[name] = page.quantities[name].constant;
  if (answer.run) for (const {name, at} of answer.run.program.outputs) if (!(name in found)) found[name] = answer.run.y[at];
  const forward = (place) => {
    if (typeof place !== "number") return;
    const run = ran(place, (name) => (name === state.solve ? answer.number : stated(state, name).number));
    for (const {name, at} of run.program.outputs) if (!(name in found)) found[name] = run.y[at];
  };
  forward(variant.plans[FIRST]);
  Object.values(variant.watched).forEach(forward);
  variant.shares.forEach((one) => forward(one.plan));
  return found;
}

const MOVED = 0.1; // of an answer: a remark says what moves it by more
const MOST_REMARKS = 3;

// What an answer takes by default, assumes or leaves out, with what that does to it; the largest first.
function remarksOf(state, answer, numbers) {
  if (!answer.run || Number.isNaN(answer.number)) return [];
  const found = [...defaultedIn(state, answer), ...assumedIn(state, answer), ...mismatchedIn(state, answer, numbers), ...leftOutOf(state, numbers)];
  return found.sort((one, other) => other.weight - one.weight).slice(0, MOST_REMARKS).map((one) => one.text);
}

// The answer with another number of one given: how many times as much it is.
function remark(state, answer, name, number, text) {
  return compared(state, answer, answered(state, {[name]: number}, answer.number).number, text);
}

function compared(state, answer, other, text) {
  if (Number.isNaN(other) || Math.abs(other - answer.number) <= MOVED * Math.abs(answer.number)) return [];
  const factor = other / answer.number, isRatio = factor > 0 && Number.isFinite(factor) && !unitOf(state, state.solve).offset;
  const size = !isRatio ? told(state, state.solve, other, 3) : factor > 1 ? `${digitsOf(factor, 3)} times as much` : `${digitsOf(factor, 2)} of it`;
  return [{text: `${text}: ${size}`, weight: isRatio ? Math.max(factor, 1 / factor) : Infinity}];
}

function defaultedIn(state, answer) {
  const lists = state.chosen.map((name, place) => profileOf(place, name).list), found = [];
  for (const name of givensOf(state)) {
    const {number, from} = stated(state, name), others = page.quantities[name].elsewhere || [];
    if (from !== "default" || others.some((one) => one.list && lists.includes(one.list))) continue;
    const here = `${told(state, name, number)} by default`;
    const each = others.flatMap((one) => remark(state, answer, name, one.number, `with ${name} ${one.text} (${here}; ${one.whose})`));
    found.push(...each.sort((one, other) => other.weight - one.weight).slice(0, 1));
  }
  return found;
}

// What is assumed beside the givens, each by the plan that takes it as given; a reciprocal says the same again.
function assumedIn(state, answer) {
  const found = [];
  for (const {name, plans, others} of variantOf(state).assumed) {
    if (!(state.solve in plans)) continue;
    const each = others.flatMap((one) => {
      const number = one.plan === undefined ? one.number : firstOf(ran(one.plan, numbersOf(state, null)));
      const other = firstOf(ran(plans[state.solve], numbersOf(state, {[name]: number})));
      return compared(state, answer, other, `with ${name} ${one.text || told(state, name, number)} (${one.here}${one.whose})`);
    });
    const farthest = each.sort((one, other) => other.weight - one.weight).slice(0, 1);
    found.push(...farthest.filter((one) => !found.some((other) => Math.abs(one.weight - other.weight) <= 1e-9 * other.weight)));
  }
  return found;
}

function firstOf({program, y}) {
  return y[program.outputs[0].at];
}

// Numbers of profiles that go with other numbers than those here: FP8 arithmetic beside weights of two bytes.
function mismatchedIn(state, answer, numbers) {
  const found = [], tried = new Set();
  for (const {of, profile, other, number} of mismatches(state, numbers)) {
    if (tried.has(other) || !givensOf(state).includes(other)) continue;
    tried.add(other);
    const text = `with ${other} ${told(state, other, number)} (here ${told(state, other, numbers[other])}; ${of} of ${profile} goes with it)`;
    found.push(...remark(state, answer, other, number, text).map((one) => ({...one, other})));
  }
  return found;
}

function mismatches(state, numbers) {
  const found = [];
  state.chosen.forEach((profile, place) => {
    for (const [of, assumed] of Object.entries(profileOf(place, profile).goesWith)) {
      if (stated(state, of).place !== place) continue;
      for (const [other, number] of Object.entries(assumed)) {
        const here = numbers[other];
        if (Number.isFinite(here) && Math.abs(here - number) > 1e-9 * Math.abs(number)) found.push({of, profile, other, number});
      }
    }
  });
  return found;
}

function leftOutOf(state, numbers) {
  const variant = variantOf(state), found = [];
  for (const {relation, share, what} of variant.shares) {
    const size = numbers[share];
    if (Math.abs(size) > MOVED) found.push({text: `${relation} leaves out ${what}: ${digitsOf(size, 3)} of what it counts`, weight: 1 + Math.abs(size)});
  }
  return found;
}

const NUDGE = 1e-5; // of a number, by which it is moved to see what its move does

// By how many percent the answer moves when a given moves by one percent.
function elasticitiesOf(state, number) {
  const found = [];
  for (const name of givensOf(state)) {
    const at = stated(state, name).number;
    if (!at || !Number.isFinite(at) || !number || !Number.isFinite(number)) continue;
    const [up, down] = [1 + NUDGE, 1 - NUDGE].map((factor) => answered(state, {[name]: at * factor}, number).number / number);
    const slope = Number.isFinite(up) && Number.isFinite(down) ? Math.log(up / down) / Math.log((1 + NUDGE) / (1 - NUDGE))
      : Number.isFinite(up) ? Math.log(up) / Math.log(1 + NUDGE) : Math.log(down) / Math.log(1 - NUDGE);
    if (Number.isFinite(slope)) found.push({name, slope: Math.abs(slope) < 1e-6 ? 0 : slope});
  }
  return found.sort((one, other) => Math.abs(other.slope) - Math.abs(one.slope));
}

const POINTS = 241; // of a curve

// The answer along a given: its number, regime and failed checks at each point of the slider. From the present number
// outwards, so that a number that is searched is sought beside the last one.
function curveOf(state, answer) {
  const name = state.over, reach = reachOf(state, name), points = [], here = stated(state, name).number;
  const xs = Array.from({length: POINTS}, (_, i) => along(reach, i / (POINTS - 1)));
  const middle = Math.max(xs.findIndex((x) => x >= here), 0);
  const follow = (places) => {
    let near = answer.number;
    for (const i of places) {
      const {number, reason, run} = answered(state, {[name]: xs[i]}, near), has = run && !Number.isNaN(number);
      points[i] = {x: xs[i], y: number, reason, regime: has ? Object.values(regimeIn(run, name)).join(", ") : "", failed: has ? failedIn(run).map((one) => one.name).join(", ") : ""};
      if (has) near = number;
    }
  };
  follow([...xs.keys()].slice(middle));
  follow([...xs.keys()].slice(0, middle).reverse());
  return {name, isRatio: reach.isRatio, points};
}

const reaches = Object.create(null); // the ends of sliders so far: they only ever grow, so that no slider moves under the hand

// The ends of a slider, which reach the present number wherever it is.
function reachOf(state, name) {
  const number = stated(state, name).number;
  const [low, high, scale] = reaches[name] || page.quantities[name].slider || around(number);
  reaches[name] = Number.isFinite(number) ? [Math.min(low, number), Math.max(high, number), scale] : [low, high, scale];
  const [from, to] = reaches[name];
  if (scale === "ratio from zero" && from >= 0) return {low: to / 1e6, high: to, isRatio: true, zero: true};
  return {low: from, high: to, isRatio: scale === "ratio" && from > 0, zero: false};
}

// The ends of the slider of a former target: three decades on either side, or four times its size.
function around(number) {
  if (number > 0) return [number / 1000, number * 1000, "ratio"];
  return number ? [-4 * Math.abs(number), 4 * Math.abs(number), "difference"] : [-1, 1, "difference"];
}
