// The curve of an answer over a given: regimes shaded, stretches where a check fails hatched, the present point marked.

const SIZE = {width: 640, height: 330, left: 70, right: 14, top: 12, bottom: 54};

// Ticks: one to a decade or a few, on a scale by ratios; otherwise round steps.
function ticksOf(low, high, isRatio) {
  if (isRatio) {
    const decades = Math.log10(high) - Math.log10(low), found = [];
    const steps = decades <= 1.2 ? [1, 2, 5] : decades <= 3 ? [1, 3] : [1], every = Math.max(1, Math.ceil(decades / 7));
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
      if (steps.length === 1 && power % every) continue;
      for (const step of steps) if (step * 10 ** power >= low * 0.999 && step * 10 ** power <= high * 1.001) found.push(Number(`${step}e${power}`));
    }
    if (found.length > 1) return found;
  }
  if (!(high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)))) return [low];
  const rough = (high - low) / 5, size = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map((one) => one * size).find((one) => one >= rough) || size, found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(Number((i * step).toPrecision(12)));
  return found;
}

function scaleOf(low, high, isRatio, from, to) {
  const f = isRatio ? Math.log : (number) => number, [a, b] = [f(low), f(high)];
  return (number) => from + ((f(number) - a) / (b - a || 1)) * (to - from);
}

// The ends of the answers on a curve, and whether they span so much that ratios show them better.
function spanOf(numbers) {
  let low = Math.min(...numbers), high = Math.max(...numbers);
  const isRatio = low > 0 && high / low >= 20;
  if (high - low <= 1e-7 * Math.abs(high)) return {low: low - Math.abs(low || 1) / 10, high: high + Math.abs(high || 1) / 10, isRatio: false}; // flat, but for rounding
  const least = Number.MIN_VALUE, most = Number.MAX_VALUE / 4; // a scale has finite ends, whatever is on it
  if (isRatio) return {low: Math.max(low / 1.1, least), high: Math.min(high * (high / low) ** 0.12, most), isRatio};
  [low, high] = [Math.max(low, -most), Math.min(high, most)];
  const room = (high - low) * 0.12;
  low = low >= 0 ? Math.max(0, low - room) : low - room;
  return {low, high: high + room, isRatio};
}

// Neighbouring points that share a property, as stretches [first, last].
function stretches(points, property) {
  const found = [];
  points.forEach((point, i) => {
    const value = property(point), last = found[found.length - 1];
    if (last && last.value === value) last.to = i;
    else found.push({value, from: i, to: i});
  });
  return found;
}

function drawnCurve(state, answer) {
  const {name, isRatio, points} = curveOf(state, answer), own = unitOf(state, name), other = unitOf(state, state.solve);
  const xs = points.map((point) => shownIn(name, point.x, own)), ys = points.map((point) => shownIn(state.solve, point.y, other));
  const held = ys.filter(Number.isFinite), {left, right, top, bottom, width, height} = SIZE;
  const title = `${state.solve} over ${name}`;
  if (!held.length) return {svg: `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}: no answer anywhere"><text class="words" x="${width / 2}" y="${height / 2}" text-anchor="middle">no answer anywhere along ${escaped(name)}</text></svg>`, said: `${title}: no answer anywhere.`};
  const span = spanOf(held), [first, last] = [xs[0], xs[xs.length - 1]], isLog = isRatio && first > 0;
  const sx = scaleOf(first, last, isLog, left, width - right), sy = scaleOf(span.low, span.high, span.isRatio, height - bottom, top);
  const between = (i) => (i <= 0 ? sx(xs[0]) : i >= xs.length ? sx(last) : (sx(xs[i - 1]) + sx(xs[i])) / 2);
  const number = (value) => value.toFixed(1), parts = [], said = [];
  const regimes = stretches(points, (point) => (Number.isNaN(point.y) ? null : point.regime)), names = [...new Set(regimes.map((one) => one.value).filter(Boolean))];
  for (const one of regimes) {
    if (!one.value) continue;
    const [x1, x2] = [between(one.from), between(one.to + 1)];
    parts.push(`<rect class="regime regime${names.indexOf(one.value) % 5}" x="${number(x1)}" y="${top}" width="${number(x2 - x1)}" height="${height - top - bottom}"><title>${escaped(one.value)}</title></rect>`);
    if (x2 - x1 > one.value.length * 6.2) parts.push(`<text class="regime-name" x="${number((x1 + x2) / 2)}" y="${top + 14}" text-anchor="middle">${escaped(one.value)}</text>`);
    said.push(`${one.value} from ${digitsOf(xs[one.from], 3)} to ${digitsOf(xs[one.to], 3)}`);
  }
  for (const one of stretches(points, (point) => point.failed)) {
    if (!one.value) continue;
    const [x1, x2] = [between(one.from), between(one.to + 1)];
    parts.push(`<rect class="failing" x="${number(x1)}" y="${top}" width="${number(x2 - x1)}" height="${height - top - bottom}" fill="url(#hatch)"><title>${escaped(one.value)} does not hold</title></rect>`);
    if (x2 - x1 > one.value.length * 6.2) parts.push(`<text class="failing-name" x="${number((x1 + x2) / 2)}" y="${top + 30}" text-anchor="middle">${escaped(one.value)} fails</text>`);
    said.push(`${one.value} fails from ${digitsOf(xs[one.from], 3)} to ${digitsOf(xs[one.to], 3)}`);
  }
  for (const tick of ticksOf(first, last, isLog)) {
    const x = number(sx(tick));
    parts.push(`<line class="grid" x1="${x}" x2="${x}" y1="${top}" y2="${height - bottom}"/><text x="${x}" y="${height - bottom + 16}" text-anchor="middle">${short(tick)}</text>`);
  }
  for (const tick of ticksOf(span.low, span.high, span.isRatio)) {
    const y = number(sy(tick));
    parts.push(`<line class="grid" x1="${left}" x2="${width - right}" y1="${y}" y2="${y}"/><text x="${left - 6}" y="${Number(y) + 4}" text-anchor="end">${short(tick)}</text>`);
  }
  const path = ys.map((y, i) => (Number.isFinite(y) ? `${i && Number.isFinite(ys[i - 1]) ? "L" : "M"}${number(sx(xs[i]))} ${number(sy(y))}` : "")).join("");
  parts.push(`<path class="line" d="${path}"/>`);
  const here = shownIn(name, stated(state, name).number, own), there = shownIn(state.solve, answer.number, other);
  if (Number.isFinite(there) && here >= first && here <= last) parts.push(`<circle class="here" cx="${number(sx(here))}" cy="${number(sy(there))}" r="5"/>`);
  const middle = (left + width - right) / 2;
  parts.push(`<text class="words" x="${middle}" y="${height - 22}" text-anchor="middle">${escaped(labelled(name, own.text))}</text>`);
  parts.push(`<text class="words" transform="translate(14 ${(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(labelled(state.solve, other.text))}</text>`);
  const hatch = '<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="0" x2="0" y1="0" y2="7"/></pattern></defs>';
  const words = `${title}: from ${digitsOf(Math.min(...held), 3)} to ${digitsOf(Math.max(...held), 3)} ${other.text}. ${said.join("; ")}`;
  return {svg: `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(words)}" xmlns="http://www.w3.org/2000/svg">${hatch}${parts.join("")}</svg>`, said: words};
}

function labelled(name, unit) {
  return unit === "" || unit === "1" ? name : `${name} [${unit}]`;
}

// A tick's number, with a letter for the thousands: 20k, 3M.
function short(number) {
  if (!number) return "0";
  const power = Math.floor(Math.log10(Math.abs(number)) + 1e-9), letters = {3: "k", 4: "k", 5: "k", 6: "M", 7: "M", 8: "M", 9: "G", 10: "G", 11: "G", 12: "T", 13: "T", 14: "T"};
  if (power >= 4 && letters[power]) return `${Number((number / 10 ** (power - (power % 3))).toPrecision(4))}${letters[power]}`;
  return power < -3 || power > 14 ? number.toExponential().replace("+", "") : String(Number(number.toPrecision(6)));
}
