// Numbers as derive writes them: the same digits and prefixes as `derive.presentation.numbers`.

const LARGE = {0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E", 21: "Z", 24: "Y"};
const SMALL = {"-9": "n", "-6": "µ", "-3": "m", 0: ""};
const PREFIXES = {
  byte: LARGE, FLOP: LARGE, token: LARGE, parameter: LARGE, W: {...SMALL, ...LARGE}, J: {...SMALL, ...LARGE}, s: SMALL,
};
const SPELLED = {byte: "B"};
const FIRST_NAME = /^[A-Za-zµ]+(?![\w°$]|\s*(?:\*\*|[\^⁺⁻⁰¹²³⁴-⁹]))/; // of a unit, unless it is raised

// A number with so many significant digits, as Python's format code g.
function digitsOf(number, digits = 6) {
  if (!Number.isFinite(number)) return Number.isNaN(number) || number === undefined ? "–" : number > 0 ? "∞" : "-∞";
  if (number === 0) return "0";
  const [mantissa, power] = toEven(number, digits).split("e").map(Number);
  if (power < -4 || power >= digits) {
    const size = String(Math.abs(power)).padStart(2, "0");
    return `${mantissa}e${power < 0 ? "-" : "+"}${size}`;
  }
  const fixed = Number(`${mantissa}e${power}`).toFixed(Math.max(0, digits - 1 - power));
  return fixed.includes(".") ? fixed.replace(/0+$/, "").replace(/\.$/, "") : fixed;
}

// A number in so many digits and a power of ten; halves go to the even digit, as in Python.
function toEven(number, digits) {
  const shown = number.toExponential(digits - 1), exact = number.toExponential(100);
  const isHalfway = /^50*e/.test(exact.replace(/[-.]/g, "").slice(digits)), [mantissa, power] = shown.split("e");
  if (!isHalfway || !exact.endsWith(`e${power}`) || !/[13579]$/.test(mantissa)) return shown;
  return `${mantissa.slice(0, -1)}${mantissa.at(-1) - 1}e${power}`;
}

function withUnit(shown, unit) {
  return unit === "" || unit === "1" ? shown : `${shown} ${unit}`;
}

// A number and its unit; below one and from 100,000 on, with a prefix that leaves one to three digits in front.
function prefixed(number, unit) {
  const head = unit.match(FIRST_NAME);
  const size = Math.abs(number);
  const known = head && Object.hasOwn(PREFIXES, head[0]);
  if (!known || !number || !Number.isFinite(number) || (size >= 1 && size < 1e5)) return [number, unit];
  const prefixes = PREFIXES[head[0]], powers = Object.keys(prefixes).map(Number);
  const wanted = 3 * Math.floor(size.toExponential(14).split("e")[1] / 3);
  const power = Math.min(Math.max(wanted, Math.min(...powers)), Math.max(...powers));
  const rest = unit.slice(head[0].length);
  if (!prefixes[power]) return [number, unit];
  return [Number((number / 10 ** power).toPrecision(15)), prefixes[power] + (SPELLED[head[0]] || head[0]) + rest];
}

// A number in base units as people write it: in a unit, with the prefix that leaves few digits.
function customary(base, unit, digits = 4) {
  const [number, text] = prefixed(base / unit.size, unit.text === "1" ? "" : unit.text);
  return withUnit(digitsOf(number, digits), text);
}

// A number as short as it can be read back; a slider's number has three digits.
function plain(number) {
  return String(Number(number.toPrecision(15)));
}

function rounded(number, digits = 3) {
  return Number(number.toPrecision(digits));
}

// The number at a share of the way from one end to the other.
function along({low, high, isRatio}, share) {
  return isRatio ? low * (high / low) ** share : low + (high - low) * share;
}
