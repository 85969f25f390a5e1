// What a page gives away: its givens as a relation file, its curve as a table and a picture, its derivation as LaTeX.

function save(name, type, content) {
  const link = element("a", {href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type})), download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function statedText(name, number) {
  return withUnit(plain(number), page.quantities[name].units[0][0]);
}

// The givens as a profile, and the answer as an example, which `derive check` works out again. In a profile they are
// weak: a limit that does not hold is a failed check there too, and not a contradiction.
function asToml(state, answer) {
  const lines = [`title = ${quoted(document.title)}`, `uses = [${page.uses.map(quoted).join(", ")}]`, "", "[profiles.page]"];
  for (const name of givensOf(state)) lines.push(`${keyed(name)} = ${quoted(statedText(name, stated(state, name).number))}`);
  const expected = Number.isNaN(answer.number) ? "impossible" : withUnit(digitsOf(answer.number, 7), page.quantities[state.solve].units[0][0]);
  lines.push("", "[examples.page]", `asked = ${quoted(state.solve)}`, 'profiles = ["page"]', `expected = ${quoted(expected)}`, 'source = "a page of derive"');
  return `${lines.join("\n")}\n`;
}

function quoted(text) {
  return JSON.stringify(text);
}

function keyed(name) {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : quoted(name);
}

// The same question for the command line: what was typed and moved, and the profiles. Where a profile's own value was
// moved, others of it may be out of date for the engine, so then everything is given.
function asCommand(state) {
  const shell = (text) => (/^[A-Za-z0-9_.:/-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);
  const ofProfiles = (name) => state.chosen.some((one, place) => Object.hasOwn(profileOf(place, one).values, name));
  const whole = [...Object.keys(state.values), state.solve].some(ofProfiles);
  const names = givensOf(state).filter((name) => whole || ["moved", "typed"].includes(stated(state, name).from));
  const given = names.map((name) => ` ${shell(`${name}=${statedText(name, stated(state, name).number)}`)}`);
  return `derive solve ${state.solve}${given.join("")}${whole ? "" : state.chosen.map((name) => ` --with ${shell(name)}`).join("")}${page.flags}`;
}

// The curve as a table: the given, the answer, the regime and the checks that fail, in the units shown.
function asCsv(state) {
  const {name, points} = curveOf(state, answered(state)), own = unitOf(state, name), other = unitOf(state, state.solve);
  const cell = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const rows = points.map((point) => [
    plain(shownIn(name, point.x, own)), Number.isNaN(point.y) ? "" : plain(shownIn(state.solve, point.y, other)), point.regime, point.failed,
  ]);
  return [[labelled(name, own.text), labelled(state.solve, other.text), "regime", "fails"], ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

const DRAWN = ["paint-order", "stroke-linejoin", "fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "opacity", "fill-opacity"];

// The curve as a picture of twice its size on the screen, with the page's colours.
function asPng(svg, done) {
  const whole = svg.cloneNode(true), originals = [svg, ...svg.querySelectorAll("*")], copies = [whole, ...whole.querySelectorAll("*")];
  originals.forEach((one, i) => {
    const style = getComputedStyle(one);
    for (const property of DRAWN) if (!(property === "fill" && one.hasAttribute("fill"))) copies[i].style.setProperty(property, style.getPropertyValue(property));
  });
  whole.setAttribute("width", SIZE.width * 2);
  whole.setAttribute("height", SIZE.height * 2);
  const image = new Image();
  image.onload = () => {
    const canvas = element("canvas", {width: SIZE.width * 2, height: SIZE.height * 2}), pen = canvas.getContext("2d");
    pen.fillStyle = getComputedStyle(document.body).backgroundColor;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0);
    canvas.toBlob(done, "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(whole))}`;
}

function asLatex(state, answer) {
  const letter = page.letters[state.solve] || state.solve, steps = stepsOf(state, answer, numbersBeside(state, answer));
  return `% ${document.title}\n% \\usepackage{amsmath}\n${stepsLatex(steps)}\n\\[ ${letter} = ${amountOf(state, state.solve, answer.number)} \\]\n`;
}
