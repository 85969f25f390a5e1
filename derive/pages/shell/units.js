// Units: every number of the state is in the declared unit; what is shown and typed is in the unit chosen for it.

function unitsOf(name) {
  return page.quantities[name].units.map(([text, size, offset]) => ({text, size, offset}));
}

function unitOf(state, name) {
  const units = unitsOf(name), found = (text) => units.find((unit) => unit.text === text);
  return found(state.units[name]) || found(page.quantities[name].shown) || units[0];
}

function shownIn(name, number, unit) {
  const own = unitsOf(name)[0];
  return unit.text === own.text ? number : (number * own.size + own.offset - unit.offset) / unit.size;
}

function readIn(name, number, unit) {
  const own = unitsOf(name)[0];
  return unit.text === own.text ? number : (number * unit.size + unit.offset - own.offset) / own.size;
}

const SCALES = {k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15};
const SCALES_OF_UNITS = {...SCALES, m: 1e-3, "\u00b5": 1e-6, u: 1e-6, n: 1e-9};

// A unit without the differences that people make in writing it: "GB / chip" and "Gbyte/chip" are one.
function plainUnit(text) {
  return text.replace(/\s+/g, "").replace(/\u00b7/g, "*").replace(/\^/g, "**").replace(/\u03bc/g, "\u00b5").replace(/byte/g, "B").replace(/tokens$/, "token");
}

// The unit of a quantity that is meant by a text, or undefined: one that the page offers, with what stands below the line left out
// where that leaves no doubt ("GB" where it is GB/chip), or a multiple of one.
function unitMeant(name, text) {
  const wanted = plainUnit(text), units = unitsOf(name).map((unit) => ({...unit, plain: plainUnit(unit.text)}));
  const near = (one) => units.find((unit) => unit.plain === one) || only(units.filter((unit) => unit.plain.startsWith(`${one}/`)));
  const found = near(wanted);
  if (found) return found;
  const scale = FIRST_NAME.test(wanted) && SCALES_OF_UNITS[wanted[0]], whole = scale && wanted.length > 1 && near(wanted.slice(1));
  return whole && whole.offset === 0 ? {text: "", size: whole.size * scale, offset: 0} : undefined;
}

function only(found) {
  return found.length === 1 ? found[0] : undefined;
}

// What was typed into a field: the number in the declared unit, and the unit that was named; or what is wrong with it.
function understood(name, typed, unit) {
  const text = typed.trim().replace(/^\u2212/, "-"), parts = text.match(/^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)$/);
  if (!parts) return {slip: `\u201c${text}\u201d is no number. Write one such as 1.5 or 2e3.`};
  if (!Number.isFinite(Number(parts[1]))) return {slip: `${text} is too large.`};
  if (/^[,'\u2019]\d/.test(parts[2]) || /^\d/.test(parts[2])) return {slip: `${text} may be read in two ways. Write 1.5 with a point, and 1500 without a comma or a blank.`};
  let number = Number(parts[1]), rest = parts[2];
  if (rest === "") return checkedNumber(readIn(name, number, unit), text);
  if (rest === "%" && unitsOf(name).some((one) => one.text === "" || one.text === "1")) return checkedNumber(readIn(name, number / 100, unitsOf(name)[0]), text);
  const scaled = !unitMeant(name, rest) && rest.match(/^([kMGTP])(?:\s+(.*))?$/);
  if (scaled) [number, rest] = [number * SCALES[scaled[1]], scaled[2] || ""];
  const meant = rest === "" ? unit : unitMeant(name, rest);
  if (!meant) return {slip: `\u201c${rest}\u201d is no unit that ${name} has here. Write the number alone, or with one of ${unitsOf(name).map((one) => one.text || "no unit").slice(0, 5).join(", ")}.`};
  return {...checkedNumber(meant.text === "" && rest !== "" ? (number * meant.size - unitsOf(name)[0].offset) / unitsOf(name)[0].size : readIn(name, number, meant), text), unit: meant.text};
}

function checkedNumber(number, text) {
  return Number.isFinite(number) ? {number} : {slip: `${text} is too large.`};
}

// A quantity's number with its unit, as a sentence says it.
function told(state, name, number, digits = 6) {
  const unit = unitOf(state, name);
  return withUnit(digitsOf(shownIn(name, number, unit), digits), unit.text);
}
