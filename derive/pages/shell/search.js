// Where the engine has no lines for what is asked for, it is searched: the number at which the target that is held comes out
// as it is given. The plan forwards is exact, so what is found is a solution; that it is the only one is not proved, and said.

const SCAN = 192; // places at which the whole range is looked at
const DECADES = 9; // of the range, on either side of the slider
const SAME = 1e-9; // relative difference of two sides that agree
const FLAT = 1e-12;
const NOISE = 4e-15; // relative rounding error of a plan forwards

// The range in which a quantity is sought, and whether by ratios.
function soughtIn(name) {
  const {low, high, slider} = page.quantities[name], [from, to] = slider || [1, 1];
  const least = low === undefined || low === null ? -Infinity : low, most = high === undefined || high === null ? Infinity : high;
  if (least >= 0) {
    const size = Math.sqrt(Math.max(from, to * 1e-6) * to) || 1;
    return {low: Math.max(least, size / 10 ** DECADES), high: Math.min(most, size * 10 ** DECADES), isRatio: true};
  }
  const reach = Math.max(Math.abs(from), Math.abs(to), 1) * 1e3;
  return {low: Math.max(least, -reach), high: Math.min(most, reach), isRatio: false};
}

function searched(state, variant, numberOf, near, why) {
  const forward = planOf(state, variant, state.held), wanted = numberOf(state.held);
  if (typeof forward !== "number") return {number: NaN, reason: why};
  if (!Number.isFinite(wanted)) return {number: NaN, reason: `${state.held} has no number here.`};
  const program = page.programs[forward], {x, y} = buffers[forward], {at} = program.outputs[0], sought = page.inputs.indexOf(state.solve);
  for (const place of program.inputs) if (place !== sought) x[place] = numberOf(page.inputs[place]);
  const gap = (number) => {
    x[sought] = number;
    kernels[program.kernel](x, y);
    return y[at] - wanted;
  };
  const run = {program, x, y, sought: state.solve, overdetermined: (variant.overdetermined[state.held] || {})[state.solve] || []};
  if (page.quantities[state.solve].whole) return searchedWhole(state, gap, run, wanted);
  const range = soughtIn(state.solve), size = SAME * Math.abs(wanted);
  const found = Number.isFinite(near) && near !== 0 ? beside(gap, near, range, size) : null;
  const roots = found === null ? rootsIn(gap, range, Math.abs(wanted)) : [found];
  const span = `${told(state, state.solve, range.low, 2)} to ${told(state, state.solve, range.high, 2)}`;
  if (roots.length === 1 && typeof roots[0] === "number") {
    if (isBlurred(gap, roots[0], Math.abs(wanted))) {
      return {number: NaN, reason: `${state.held} hardly depends on ${state.solve} here, which rounding would decide: about ${told(state, state.solve, roots[0], 2)}.`};
    }
    gap(roots[0]);
    return {number: roots[0], reason: "", run: kept(run), searched: `found by a search from ${span}; that it is the only value is not proved`};
  }
  const values = roots.map((root) => (typeof root === "number" ? told(state, state.solve, root) : `anything from ${told(state, state.solve, root[0])} to ${told(state, state.solve, root[1])}`));
  const reason = roots.length ? `${state.solve} has no single value here: ${values.join("; ")}.` : `No value of ${state.solve} was found from ${span} that makes ${state.held} ${told(state, state.held, wanted)}.`;
  return {number: NaN, reason};
}

// A count has whole numbers only: one that hits, or the two neighbours between which the target passes what is wanted.
function searchedWhole(state, gap, run, wanted) {
  const range = soughtIn(state.solve), low = Math.max(Math.ceil(range.low), 0), high = Math.floor(Math.min(range.high, 1e9)), found = [], sure = SAME * Math.abs(wanted);
  const places = new Set(Array.from({length: SCAN + 1}, (_, i) => Math.round((low + 1) * ((high + 1) / (low + 1)) ** (i / SCAN)) - 1));
  let before = NaN, last = NaN;
  for (const here of places) {
    const now = gap(here);
    if (Math.abs(now) <= sure) found.push([here]);
    else if (last * now < 0 && Math.abs(last) > sure) {
      let [a, b, f] = [before, here, last];
      while (b - a > 1) {
        const middle = Math.floor((a + b) / 2), g = gap(middle);
        if (g === 0 || g * f < 0) b = middle;
        else [a, f] = [middle, g];
      }
      found.push(Math.abs(gap(b)) <= sure ? [b] : [a, b]);
    }
    [before, last] = [here, now];
  }
  if (found.length === 1 && found[0].length === 1) {
    gap(found[0][0]);
    return {number: found[0][0], reason: "", run: kept(run), searched: `found by a search over whole numbers from ${low} to ${high}; that it is the only value is not proved`};
  }
  const at = (number) => `${told(state, state.held, wanted + gap(number))} at ${told(state, state.solve, number, 15)}`; // all digits of a whole number
  const shown = found.map((one) => (one.length === 1 ? told(state, state.solve, one[0], 15) : `between ${at(one[0])} and ${at(one[1])}`));
  return {number: NaN, reason: shown.length ? `${state.solve} is a count, and ${state.held} is ${told(state, state.held, wanted)} at no single whole number that was found: ${shown.join("; ")}.` : `No whole number was found for ${state.solve} at which ${state.held} is ${told(state, state.held, wanted)}.`};
}

// Whether the two sides change so little around a root that their rounding hides its ninth digit.
function isBlurred(gap, root, whole) {
  const nudge = 1e-4, here = gap(root), slopes = [1 + nudge, 1 - nudge].map((factor) => Math.abs(gap(root * factor) - here) / nudge);
  return !(NOISE * whole <= SAME * Math.min(...slopes.filter(Number.isFinite), Infinity));
}

// The root beside a number, in a bracket that opens around it; null if there is none nearby.
function beside(gap, near, {low, high}, size) {
  for (const factor of [1.0001, 1.02, 1.3]) {
    const [a, b] = near > 0 ? [Math.max(near / factor, low), Math.min(near * factor, high)] : [near * factor, near / factor], [f, g] = [gap(a), gap(b)];
    if (f * g < 0) {
      const root = crossing(gap, a, f, b, g);
      return Math.abs(gap(root)) <= size ? root : null;
    }
  }
  return null;
}

// Every root between neighbours of a scan, and stretches on which the two sides agree throughout.
function rootsIn(gap, range, whole) {
  const found = [];
  let before = along(range, 0), last = gap(before), flat = null;
  for (let i = 1; i <= SCAN; i++) {
    const here = along(range, i / SCAN), now = gap(here);
    if (Number.isNaN(last) !== Number.isNaN(now)) [before, last] = edgeOf(gap, before, last, here, now);
    const isFlat = Math.abs(now) <= FLAT * whole && Math.abs(last) <= FLAT * whole;
    if (isFlat) flat = [flat ? flat[0] : before, here];
    else if (flat) { found.push(flat); flat = null; }
    else if (now === 0 || (last === 0 && i === 1)) found.push(now === 0 ? here : before);
    else if (last * now < 0) {
      const root = crossing(gap, before, last, here, now);
      if (Math.abs(gap(root)) <= SAME * whole) found.push(root);
    }
    [before, last] = [here, now];
  }
  return flat ? [...found, flat] : found;
}

// The last place with a number beside a stretch without: a root may lie between it and the next place of the scan.
function edgeOf(gap, a, fa, b, fb) {
  let [has, none, number] = Number.isNaN(fa) ? [b, a, fb] : [a, b, fa];
  for (let i = 0; i < 60; i++) {
    const middle = (has + none) / 2, found = gap(middle);
    if (Number.isNaN(found)) none = middle;
    else [has, number] = [middle, found];
  }
  return [has, number];
}

// A root in a bracket, by Chandrupatla's method: inverse quadratic interpolation where it is safe, otherwise bisection.
function crossing(gap, a, fa, b, fb) {
  let [x1, f1, x2, f2] = [b, fb, a, fa], share = 0.5;
  for (let i = 0; i < 120; i++) {
    const x = x1 + share * (x2 - x1), f = gap(x);
    if (f === 0 || Number.isNaN(f)) return x;
    let x3 = x2, f3 = f2;
    if (f < 0 === f1 < 0) { x3 = x1; f3 = f1; } else { x2 = x1; f2 = f1; }
    x1 = x; f1 = f;
    const best = Math.abs(f1) < Math.abs(f2) ? x1 : x2, narrow = (2.3e-16 * Math.abs(best)) / Math.abs(x2 - x1);
    if (narrow >= 0.5) return best;
    const across = (f1 - f2) / (f3 - f2), along = (x1 - x2) / (x3 - x2);
    share = 0.5;
    if (across * across < along && (1 - across) ** 2 < 1 - along) {
      share = (f1 / (f2 - f1)) * (f3 / (f2 - f3)) + ((x3 - x1) / (x2 - x1)) * (f1 / (f3 - f1)) * (f2 / (f3 - f2));
    }
    share = Math.min(1 - narrow, Math.max(narrow, share));
  }
  return x1;
}
