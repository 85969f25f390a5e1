(function (tolerances) {
"use strict";
const {SAME_ROOT, LAST_DIGIT, SMALLEST, SAME_COUNT} = tolerances;

// An undefined number stays undefined: these have the meaning of the same functions in machine code.

const sound = (x) => x + (x - x);
const larger = (x, y) => (x >= y || x !== x ? x : y);
const smaller = (x, y) => (x <= y || x !== x ? x : y);
const power = (x, y) => (x !== x || y !== y ? NaN : Math.pow(x, y));

// The one number among several, ignoring NaN; an infinity if there are more or if one is infinite.
function only(...numbers) {
  let found = NaN;
  for (const x of numbers) {
    if (found !== found) found = x;
    else if (x === x && !(Math.abs(x - found) <= SAME_ROOT * Math.min(Math.abs(x), Math.abs(found)))) found = Infinity;
  }
  return found;
}

const isWhole = (x) => Math.abs(x - Math.round(x)) <= SAME_COUNT * Math.max(1, Math.abs(x));

// Which of several numbers is the largest, the first of equal ones; -1 if one is undefined.
function largest(numbers) {
  let place = 0;
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i] !== numbers[i]) return -1;
    if (numbers[i] > numbers[place]) place = i;
  }
  return place;
}

const smallest = (numbers) => largest(numbers.map((x) => -x));

// Which of several conditions is the first that holds; if none does, the arm after them, or -1 if there is none.
function first(tests, hasLast) {
  const place = tests.indexOf(true);
  return place >= 0 ? place : hasLast ? tests.length : -1;
}

// Whether a relation holds whose sides differ by `gap`, of `size` in all: 1 if it does, 2 if not, 3 if it is undefined.
function held(gap, excess, size, tolerance) {
  if (gap === 0) return 1;
  if (!(size > 0 && size < Infinity) || gap !== gap) return 3;
  return excess / size <= tolerance ? 1 : 2;
}

// A root of a residual between two ends, as in python_runtime.py; `least` is the size above which a sign is certain.
// NaN where the ends certainly have the same sign, and an infinity where that is uncertain.
function crossing(gap, least, low, high, inputs) {
  let x1 = high, f1 = gap(high, ...inputs), x2 = low, f2 = gap(low, ...inputs), x3, f3;
  if (f1 !== f1 && f2 === f2) [x1, f1] = inwards(gap, x1, x2, f2, inputs);
  if (f2 !== f2 && f1 === f1) [x2, f2] = inwards(gap, x2, x1, f1, inputs);
  const isSure = (x, f) => Math.abs(f) > least(x, ...inputs) || Math.abs(f) === Infinity;
  if (!(isSure(x1, f1) && isSure(x2, f2))) return Infinity;
  if (f1 < 0 === f2 < 0) return NaN;
  let share = 0.5;
  for (let i = 0; i < 200; i++) {
    const x = cut(x1, x2, share), f = gap(x, ...inputs);
    if (f !== f) return Infinity;
    if (f === 0) return x;
    if (f < 0 === f1 < 0) { x3 = x1; f3 = f1; } else { x3 = x2; f3 = f2; x2 = x1; f2 = f1; }
    x1 = x; f1 = f;
    const best = Math.abs(f1) < Math.abs(f2) ? x1 : x2, narrow = LAST_DIGIT * Math.abs(best) / Math.abs(x2 - x1);
    if (narrow >= 0.5) return best;
    const across = (f1 - f2) / (f3 - f2), along = (x1 - x2) / (x3 - x2);
    share = 0.5;
    if (across * across < along && (1 - across) * (1 - across) < 1 - along) {
      share = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
    }
    share = Math.min(1 - narrow, Math.max(narrow, share));
  }
  return Infinity;
}

// An end at which the residual is too large for a double, moved to where it has another sign than at the other end. Since
// there is at most one root between the ends, it is the one in the smaller bracket.
function inwards(gap, end, other, atOther, inputs) {
  let lost = end, x = other, f = atOther;
  for (let i = 0; i < 80 && f < 0 === atOther < 0; i++) {
    const next = cut(Math.max(lost, x), Math.min(lost, x), 0.5), g = gap(next, ...inputs);
    if (g !== g) lost = next;
    else [x, f] = [next, g];
  }
  return f < 0 === atOther < 0 ? [end, NaN] : [x, f];
}

// Where a bracket is cut: at zero, by ratio, or by interpolation.
function cut(x1, x2, share) {
  const a = Math.min(x1, x2), b = Math.max(x1, x2);
  if (a < 0 && 0 < b) return 0;
  if (4 * a < b && a >= 0) return Math.sqrt(Math.max(a, SMALLEST)) * Math.sqrt(b);
  if (4 * b > a && b <= 0) return -(Math.sqrt(Math.max(-b, SMALLEST)) * Math.sqrt(-a));
  return x1 + share * (x2 - x1);
}

// Functions that Math lacks

const ROOT_PI = Math.sqrt(Math.PI);

// By the series of positive terms up to 3, beyond which the complement is computed.
function erf(x) {
  if (x !== x) return NaN;
  if (Math.abs(x) > 3) return x > 0 ? 1 - erfc(x) : erfc(-x) - 1;
  let term = 1, total = 1;
  for (let n = 1; term > total * 1e-17; n++) {
    term *= 2 * x * x / (2 * n + 1);
    total += term;
  }
  return 2 / ROOT_PI * x * Math.exp(-x * x) * total;
}

// Of a number of 1 or more, by Laplace's continued fraction.
function erfc(x) {
  let rest = 0;
  for (let n = 240; n > 0; n--) rest = n / 2 / (x + rest);
  return Math.exp(-x * x) / ROOT_PI / (x + rest);
}

// Halley's steps on the error function, or on its complement where that has more digits.
function erfinv(y) {
  if (!(-1 < y && y < 1)) return NaN;
  if (y < 0) return -erfinv(-y);
  if (y === 0) return y;
  const rest = 1 - y, size = Math.log(rest * (1 + y)), half = 2 / (Math.PI * 0.147) + size / 2;
  let x = Math.sqrt(Math.sqrt(half * half - size / 0.147) - half);
  for (let i = 0; i < 6; i++) {
    const gap = y < 0.9 || x < 1 ? erf(x) - y : rest - erfc(x), step = gap * ROOT_PI / 2 * Math.exp(x * x);
    x -= step / (1 + x * step);
    if (Math.abs(step) <= LAST_DIGIT * x) break;
  }
  return x;
}

// Lanczos' approximation, with the coefficients of Boost.
const LANCZOS = [
  23531376880.410759688572, 42919803642.649098768957, 35711959237.355668049440, 17921034426.037209699919,
  6039542586.3520280050642, 1439720407.3117216736632, 248874557.86205415651146, 31426415.585400194380614,
  2876370.6289353724412254, 186056.26539522349504029, 8071.6720023658162106380, 210.82427775157934587250,
  2.5066282746310002701649,
];
const BELOW = [0, 39916800, 120543840, 150917976, 105258076, 45995730, 13339535, 2637558, 357423, 32670, 1925, 66, 1];
const SHIFT = 6.024680040776729583740234375;

function lanczos(x) {
  let above = 0, below = 0;
  for (let i = 0; i < 13; i++) {
    above = x < 5 ? above * x + LANCZOS[12 - i] : above / x + LANCZOS[i];
    below = x < 5 ? below * x + BELOW[12 - i] : below / x + BELOW[i];
  }
  return above / below;
}

function gamma(x) {
  if (!(x > 0)) return NaN;
  if (x > 172) return Infinity;
  if (x < 1e-20) return 1 / x;
  if (x === Math.floor(x) && x <= 23) {
    let product = 1;
    for (let i = 2; i < x; i++) product *= i;
    return product;
  }
  const y = x + (SHIFT - 0.5), lost = x > SHIFT - 0.5 ? y - x - (SHIFT - 0.5) : y - (SHIFT - 0.5) - x;
  const scaled = lanczos(x) / Math.exp(y), r = scaled - lost * SHIFT / y * scaled;
  if (x < 140) return r * Math.pow(y, x - 0.5);
  const root = Math.pow(y, x / 2 - 0.25);
  return r * root * root;
}

// The principal branch of Lambert's function, as in special_functions.py.
const BRANCH = -1 / Math.E, BRANCH_REST = 1.2428753672788363e-17;
const SERIES = [1, -1 / 3, 11 / 72, -43 / 540, 769 / 17280, -221 / 8505, 680863 / 43545600, -1963 / 204120];

const oneMore = (root) => SERIES.reduceRight((total, factor) => (total + factor) * root, 0);

function lambertStart(x, root) {
  if (x < 1) return root < 1 ? oneMore(root) - 1 : Math.abs(x) < 0.1 ? x * (1 - x) : Math.log1p(x) * 0.8;
  return x < 3 ? Math.log1p(x) * 0.8 : Math.log(x) - Math.log(Math.log(x));
}

function lambertw(x) {
  const rest = x - BRANCH - BRANCH_REST;
  if (!(rest >= 0) || x === Infinity) return x === Infinity ? x : NaN;
  const root = Math.sqrt(2 * Math.E * rest);
  if (root < 0.02) return oneMore(root) - 1;
  let w = lambertStart(x, root);
  for (let i = 0; i < 60; i++) {
    const grown = Math.exp(w), gap = w < 700 ? w * grown - x : w - x / grown;
    const step = w < 700 ? gap / (grown * (w + 1) - (w + 2) * gap / (2 * w + 2)) : gap / (w + 1);
    w -= step;
    if (Math.abs(step) <= LAST_DIGIT * Math.abs(w)) break;
  }
  return w;
}

// What a program writes: its outputs, why each has no number, both sides and the state of each check, the arm that binds
// in each choice, and the form of each step in use.

function blank(y, why, outputs, checks) {
  const sides = 2 * outputs, states = sides + 2 * checks;
  y.fill(NaN, 0, outputs);
  y.fill(why, outputs, sides);
  y.fill(NaN, sides, states);
  y.fill(0, states, states + checks);
  y.fill(-1, states + checks);
}

// The function of a program: the one alternative that has an answer. The reasons in `unsure` leave the question open,
// and `several` is the reason where several alternatives have an answer.
function program(alternatives, outputs, checks, several, unsure) {
  const UNUSED = 1;
  function alone(alternative, x, y) {
    blank(y, UNUSED, outputs, checks);
    alternative(x, y);
    return y;
  }
  if (alternatives.length === 1) return (x, y) => alone(alternatives[0], x, y);
  let spare = [];
  return function (x, y) {
    if (!spare.length || spare[0].length !== y.length) spare = alternatives.map(() => new Float64Array(y.length));
    let chosen = -1;
    for (let i = 0; i < alternatives.length; i++) {
      const own = alone(alternatives[i], x, spare[i]), before = chosen < 0 ? NaN : spare[chosen][0];
      if (unsure.includes(own[outputs])) {
        y.set(own);
        return y;
      }
      if (own[0] === own[0] && before === before && only(before, own[0]) === Infinity) {
        blank(y, several, outputs, checks);
        return y;
      }
      if (own[0] === own[0] && chosen < 0) chosen = i;
    }
    y.set(spare[Math.max(chosen, 0)]);
    return y;
  };
}

return {
  sound, larger, smaller, power, only, isWhole, largest, smallest, first, held, crossing, erf, erfinv, gamma, lambertw,
  blank, program,
};
})
