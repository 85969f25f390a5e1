// The state of a page: what is asked for, what was moved, and what is shown. It fits into the address.
//
// `values` has what was moved; any other number is the one typed when the page was written, or else that of the last
// profile that states it, or else the default. The known quantities and one target, which is `held`, are a closed set: one
// of them is asked for (`solve`), and all others are given.

const FIRST = page.targets[0];

// A quantity may have any name, also one that every object of JavaScript has, such as constructor.
for (const table of [page.quantities, page.letters, ...page.variants.flatMap((one) => [one.plans, one.watched])]) Object.setPrototypeOf(table, null);

function freshState() {
  return {solve: FIRST, held: FIRST, values: {}, chosen: page.slots.map((slot) => slot.chosen), units: {}, watch: [...page.targets], over: ""};
}

const profiles = page.slots.map((slot) => new Map(slot.profiles.map((profile) => [profile.name, profile])));

function profileOf(place, name) {
  return profiles[place].get(name);
}

// The number of a given, and where it is from.
function stated(state, name) {
  const quantity = page.quantities[name];
  if (Object.hasOwn(state.values, name)) return {number: state.values[name], from: "moved"};
  if (quantity.typed !== undefined) return {number: quantity.typed, from: "typed"};
  for (let place = page.slots.length - 1; place >= 0; place--) {
    const values = profileOf(place, state.chosen[place]).values;
    if (Object.hasOwn(values, name)) return {number: values[name], from: state.chosen[place], place};
  }
  return {number: quantity.default === undefined ? NaN : quantity.default, from: "default"};
}

const held = {state: null, numbers: new Map()}; // the numbers of one state, which is never changed once it is asked about

function numberIn(state, name) {
  if (held.state !== state) Object.assign(held, {state, numbers: new Map()});
  if (!held.numbers.has(name)) held.numbers.set(name, stated(state, name).number);
  return held.numbers.get(name);
}

// The variant that answers the chosen profiles, or the reason why none does.
function variantOf(state) {
  const groups = state.chosen.map((name, place) => profileOf(place, name).group);
  const found = page.byGroups[groups.join(",")];
  return typeof found === "number" ? page.variants[found] : found;
}

// All quantities of which one is asked for, and those beside them that only checks need.
function closedSet(state) {
  const variant = variantOf(state);
  return typeof variant === "string" ? [state.held] : [state.held, ...variant.known];
}

// The targets of a variant: any of them can be asked for, and then held where another quantity is asked for.
function targetsOf(variant) {
  return typeof variant === "string" ? [FIRST] : [FIRST, ...Object.keys(variant.watched)];
}

// The plan for a quantity: its place, or why there is none, or why it has to be searched. Backwards from a target that is
// not the first, everything is searched.
function planOf(state, variant, name) {
  if (name === FIRST || (state.held === FIRST && !(name in variant.watched))) return variant.plans[name];
  if (name in variant.watched) return variant.watched[name];
  if (!variant.known.includes(name)) return undefined;
  if (Object.hasOwn(variant.refused[state.held], name)) return variant.refused[state.held][name];
  return {search: `${name} follows from ${state.held} by search only.`};
}

function givensOf(state) {
  const variant = variantOf(state);
  if (typeof variant === "string") return [];
  return [...closedSet(state).filter((name) => name !== state.solve), ...variant.beside];
}

// A state in which every part is one that the page has; what a new choice of profiles no longer asks for is let go.
function settled(state) {
  if (!targetsOf(variantOf(state)).includes(state.held)) state.held = FIRST;
  if (!closedSet(state).includes(state.solve) || Number.isNaN(stated(state, state.held).number)) state.solve = state.held;
  const givens = givensOf(state);
  if (!givens.includes(state.over)) state.over = givens.find((name) => page.quantities[name].typed !== undefined) || givens[0] || "";
  return state;
}

function copied(state) {
  return {...state, values: {...state.values}, chosen: [...state.chosen], units: {...state.units}, watch: [...state.watch]};
}

// The address: only what differs from the page as it was written. Names of quantities never begin with "~".
function written(state) {
  const fresh = settled(freshState()), parts = [];
  const say = (key, text) => parts.push(`${encodeURIComponent(key)}=${encodeURIComponent(text)}`);
  if (state.held !== fresh.held) say("~held", state.held);
  if (state.solve !== state.held) say("~solve", state.solve);
  state.chosen.forEach((name, place) => { if (name !== fresh.chosen[place]) say(`~with${place}`, name); });
  for (const [name, number] of Object.entries(state.values)) say(name, String(number));
  for (const [name, text] of Object.entries(state.units)) say(`~unit:${name}`, text);
  if (state.watch.join() !== fresh.watch.join()) say("~watch", state.watch.join());
  if (state.over !== fresh.over) say("~over", state.over);
  return parts.join("&");
}

// The state of an address. Parts that the page does not know are told in `misread` and left out.
function read(hash) {
  const state = freshState(), misread = [];
  const pairs = hash.replace(/^#/, "").split("&").filter(Boolean).map(decodedPair);
  for (const [key, text] of pairs) {
    const slot = key.match(/^~with(\d+)$/);
    if (slot && page.slots[slot[1]] && profileOf(slot[1], text)) state.chosen[slot[1]] = text;
    else if (key === "~held" && page.targets.includes(text)) state.held = text;
    else if (key === "~solve" && page.quantities[text]) state.solve = text;
    else if (key === "~over" && page.quantities[text]) state.over = text;
    else if (key === "~watch") state.watch = text.split(",").filter((name) => page.quantities[name]);
    else if (key.startsWith("~unit:") && page.quantities[key.slice(6)]) state.units[key.slice(6)] = text;
    else if (page.quantities[key] && text.trim() !== "" && Number.isFinite(Number(text))) state.values[key] = Number(text);
    else misread.push(`${key}=${text}`);
  }
  return {state: settled(state), misread};
}

function decodedPair(pair) {
  const at = pair.indexOf("=");
  try {
    return [decodeURIComponent(pair.slice(0, at)), decodeURIComponent(pair.slice(at + 1))];
  } catch {
    return [pair, ""];
  }
}

// The past and the future of the state, by addresses.
const past = {addresses: [], place: -1};

function remember(address) {
  if (past.addresses[past.place] === address) return;
  past.addresses.splice(past.place + 1, Infinity, address);
  past.place = past.addresses.length - 1;
}

function recalled(step) {
  const place = past.place + step;
  if (place < 0 || place >= past.addresses.length) return null;
  past.place = place;
  return past.addresses[place];
}
