// The page: it holds the state, and shows it after each move.

const at = (id) => document.getElementById(id);
let state = settled(freshState());
let rows = Object.create(null);
let drawnFor = "";
let speaking = 0;
const openGroups = new Set();

const actions = {
  state: () => state,
  moved(name, number, typing = null) {
    state = copied(state);
    state.values[name] = number;
    soon(typing);
  },
  // The number from before something was typed; undefined where nothing had been moved.
  restored(name, number, typing) {
    state = copied(state);
    if (number === undefined) delete state.values[name];
    else state.values[name] = number;
    soon(typing);
  },
  kept() {
    cancelAnimationFrame(waiting);
    finish();
  },
  asked(name) {
    const next = copied(state), former = answered(state).number, targets = targetsOf(variantOf(state));
    if (!targets.includes(name) && Number.isNaN(former) && state.solve === state.held) return notice(`There is no number of ${state.solve} to hold fixed.`);
    if (!Number.isNaN(former)) next.values[state.solve] = page.quantities[state.solve].whole ? Math.max(1, Math.round(former)) : former;
    if (targets.includes(name)) {
      for (const target of targets) delete next.values[target];
      next.held = name;
    }
    next.solve = name;
    state = settled(next);
    return finish();
  },
  chose(place, name) {
    state = copied(state);
    state.chosen[place] = name;
    for (const stated of Object.keys(profileOf(place, name).values)) if (stated !== state.held) delete state.values[stated];
    state = settled(state);
    finish();
    at(`choice-${place}`).focus();
    rows[Object.keys(rows)[0]] && at(`choices-${place}`).setAttribute("hidden", "");
  },
  measured(name, text) {
    state = copied(state);
    state.units[name] = text;
    if (text === unitOf({units: {}}, name).text) delete state.units[name];
    finish();
  },
  isOpen: (title) => openGroups.has(title),
  opened(title, isOpen) {
    if (isOpen) openGroups.add(title);
    else openGroups.delete(title);
  },
};

function finish() {
  show();
  keep();
}

// A step of the history, and the address.
function keep() {
  const address = written(state);
  remember(address);
  history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
  at("undo").disabled = past.place <= 0;
  at("redo").disabled = past.place >= past.addresses.length - 1;
}

function recall(address) {
  const found = read(address);
  state = found.state;
  if (found.misread.length) notice(`Of the address, this was not understood: ${found.misread.join(", ")}.`);
}

// Moves that come faster than the screen are shown together.
let waiting = 0;
function soon(typing) {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => show(typing));
}

function show(typing = null) {
  const begun = performance.now();
  settled(state);
  const answer = answered(state), frame = JSON.stringify([state.solve, state.held, state.chosen]);
  if (frame !== drawnFor) {
    rows = Object.create(null);
    at("givens").replaceChildren(...drawnGroups(state, actions, rows));
    drawnFor = frame;
    showChoices(answer);
  }
  const numbers = numbersBeside(state, answer);
  for (const row of Object.values(rows)) row.update(state, answer, typing);
  showAnswer(answer, numbers);
  showCurve(answer);
  showElasticities(answer);
  showDerivation(answer, numbers);
  at("number").dataset.took = (performance.now() - begun).toFixed(2); // milliseconds of this move
}

function showChoices() {
  const variant = variantOf(state), plans = typeof variant === "string" ? {} : variant.plans;
  const names = new Set([...targetsOf(variant), ...closedSet(state)]);
  at("unknown").replaceChildren(...[...names].map((name) => {
    const option = element("option", {value: name}, name), plan = typeof variant === "string" ? "" : planOf(state, variant, name);
    option.disabled = typeof plan === "string";
    if (option.disabled) option.title = plan;
    return option;
  }));
  at("unknown").value = state.solve;
  at("over").replaceChildren(...givensOf(state).map((name) => element("option", {value: name}, name)));
  at("number-unit").replaceWith(Object.assign(unitChoice(state.solve, actions, `unit of ${state.solve}`), {id: "number-unit"}));
  const blocked = Object.entries(plans).filter(([, plan]) => typeof plan === "string");
  at("not-solved").replaceChildren(...blocked.map(([name, why]) => element("li", {}, `${name} cannot be asked for here: ${why}`)));
}

function showAnswer(answer, numbers) {
  const unit = unitOf(state, state.solve), has = !Number.isNaN(answer.number);
  at("number").textContent = has ? digitsOf(shownIn(state.solve, answer.number, unit)) : "no answer";
  at("number").dataset.value = String(answer.number); // with all digits, in the declared unit
  at("number-unit").value = unit.text;
  at("meaning").textContent = page.quantities[state.solve].meaning + (state.solve === state.held || page.targets.length < 2 ? "" : `; ${state.held} is given`);
  at("why").textContent = has ? "" : answer.reason || "Nothing fits these givens.";
  at("why").hidden = has;
  const failed = has && answer.run ? failedIn(answer.run) : [], open = has && answer.run ? openIn(answer.run) : [];
  at("failed").replaceChildren(...failed.map((check) => element("li", {"data-check": check.name}, check.verdict)),
    ...open.map((name) => element("li", {class: "open"}, `${name} could not be decided here by arithmetic; ask derive.`)));
  at("answer").classList.toggle("is-failing", failed.length > 0);
  at("cautions").replaceChildren(...cautions(answer, numbers).map((text) => element("li", {}, text)));
  const regime = has && answer.run ? Object.entries(regimeIn(answer.run)) : [];
  at("regime").replaceChildren(...regime.map(([relation, arm]) => element("li", {"data-relation": relation, "data-arm": arm}, element("b", {}, arm), ` binds in ${relation}`)));
  showWatched(numbers);
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    const failing = failed.length ? ` ${failed.map((check) => check.verdict).join(". ")}.` : "";
    at("spoken").textContent = has ? `${state.solve} is ${told(state, state.solve, answer.number, 4)}.${failing}` : `${state.solve}: no answer. ${answer.reason}`;
  }, 600);
}

// What an answer takes for granted: numbers that go with others, and counts that come out broken.
function cautions(answer, numbers) {
  const found = answer.searched ? [answer.searched] : remarksOf(state, answer, numbers);
  found.push(...(variantOf(state).atFirst || []));
  for (const {of, profile, other, number} of mismatches(state, numbers)) {
    const isSaid = found.some((text) => text.startsWith(`with ${other} `));
    if (!isSaid) found.push(`${of} of ${profile} goes with ${other} = ${told(state, other, number)}, which is ${told(state, other, numbers[other])} here`);
  }
  const quantity = page.quantities[state.solve], number = answer.number;
  if (quantity.count && Number.isFinite(number) && Math.abs(number - Math.round(number)) > 1e-9 * Math.max(1, Math.abs(number))) {
    found.push(`${state.solve} is a count: ${told(state, state.solve, Math.floor(number))} or ${told(state, state.solve, Math.ceil(number))}`);
  }
  if (page.idle.length) found.push(`${page.idle.join(", ")} ${page.idle.length > 1 ? "play" : "plays"} no part`);
  return found;
}

function showWatched(numbers) {
  const names = state.watch.filter((name) => name in numbers && name !== state.solve && !givensOf(state).includes(name));
  at("watched").replaceChildren(...names.map((name) => {
    const drop = element("button", {type: "button", class: "drop", "aria-label": `watch ${name} no longer`}, "×");
    drop.addEventListener("click", () => { state = {...copied(state), watch: state.watch.filter((one) => one !== name)}; finish(); });
    const amount = state.units[name] ? told(state, name, numbers[name]) : withUnit(...shortened(name, numbers[name]));
    return element("tr", {}, element("th", {scope: "row", title: page.quantities[name].meaning}, name), element("td", {}, amount), element("td", {}, drop));
  }));
  at("watched-table").hidden = names.length === 0;
  const others = Object.keys(numbers).filter((name) => !names.includes(name) && name !== state.solve && !givensOf(state).includes(name));
  const key = others.join();
  if (at("watch").dataset.key !== key) {
    at("watch").dataset.key = key;
    at("watch").replaceChildren(element("option", {value: ""}, "watch another quantity…"), ...others.map((name) => element("option", {value: name}, name)));
  }
}

function shortened(name, number) {
  const [shown, unit] = prefixed(number, page.quantities[name].units[0][0]);
  return [digitsOf(shown), unit];
}

function showCurve(answer) {
  at("over").value = state.over;
  if (!state.over) return;
  SIZE.width = Math.min(Math.max(at("curve-picture").clientWidth || 640, 280), 900);
  at("curve-picture").innerHTML = drawnCurve(state, answer).svg;
}

function showElasticities(answer) {
  const found = elasticitiesOf(state, answer.number), most = Math.max(1, ...found.map((one) => Math.abs(one.slope)));
  at("bars").replaceChildren(...found.filter((one) => one.slope !== 0).map(({name, slope}) => {
    const bar = element("span", {class: `bar ${slope < 0 ? "falls" : "rises"}`});
    bar.style.width = `${(50 * Math.abs(slope)) / most}%`;
    return element("tr", {}, element("th", {scope: "row"}, name), element("td", {class: "track"}, bar), element("td", {class: "slope"}, digitsOf(slope, 3)));
  }));
  const still = found.filter((one) => one.slope === 0).map((one) => one.name);
  at("still").textContent = still.length ? `No effect here: ${still.join(", ")}.` : "";
}

function showDerivation(answer, numbers) {
  if (!at("derivation").open) return;
  at("steps").innerHTML = drawnSteps(stepsOf(state, answer, numbers));
}

let noticing = 0;
function notice(text) {
  at("notice").textContent = text;
  clearTimeout(noticing);
  noticing = setTimeout(() => { at("notice").textContent = ""; }, 8000);
}

function themed(name) {
  if (name) document.documentElement.dataset.theme = name;
  const isDark = name ? name === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  at("theme").textContent = isDark ? "Light" : "Dark";
  at("theme").setAttribute("aria-label", isDark ? "use light colours" : "use dark colours");
}

function listLeftOut() {
  const items = [];
  for (const slot of page.slots) {
    for (const {names, reason} of slot.leftOut) items.push(element("li", {}, element("b", {}, reason), `: ${names.join(", ")}`));
  }
  for (const [groups, why] of Object.entries(page.byGroups)) {
    if (typeof why === "string") items.push(element("li", {}, `${groups.split(",").map((group, place) => page.slots[place].profiles.filter((one) => one.group === Number(group)).map((one) => one.name).join(" or ")).join(" together with ")}: ${why}`));
  }
  for (const text of new Set(page.programs.flatMap((program) => program.leftOut.map((one) => `${one.what}: ${one.reason}`)))) items.push(element("li", {}, text));
  at("left-out").replaceChildren(...items);
  at("left-out-box").hidden = items.length === 0 && at("not-solved").children.length === 0;
}

function stepBack(step) {
  const address = recalled(step);
  if (address === null) return;
  recall(address);
  show();
  history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
  at("undo").disabled = past.place <= 0;
  at("redo").disabled = past.place >= past.addresses.length - 1;
}

function prepare() {
  at("unknown").addEventListener("change", () => actions.asked(at("unknown").value));
  at("over").addEventListener("change", () => { state = {...copied(state), over: at("over").value}; finish(); });
  at("watch").addEventListener("change", () => { if (at("watch").value) state = {...copied(state), watch: [...state.watch, at("watch").value]}; finish(); });
  at("undo").addEventListener("click", () => stepBack(-1));
  at("redo").addEventListener("click", () => stepBack(1));
  at("reset").addEventListener("click", () => { state = settled(freshState()); finish(); });
  at("theme").addEventListener("click", () => {
    const isDark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    themed(isDark ? "light" : "dark");
  });
  at("derivation").addEventListener("toggle", () => show());
  const file = `${FIRST}-page`;
  at("save-toml").addEventListener("click", () => save(`${file}.toml`, "application/toml", asToml(state, answered(state))));
  at("save-csv").addEventListener("click", () => save(`${file}.csv`, "text/csv", asCsv(state)));
  at("save-png").addEventListener("click", () => asPng(at("curve-picture").querySelector("svg"), (blob) => save(`${file}.png`, "image/png", blob)));
  at("save-tex").addEventListener("click", () => save(`${file}.tex`, "text/x-tex", asLatex(state, answered(state))));
  at("copy-link").addEventListener("click", () => copy(location.href, "The link is copied; it holds everything that was moved."));
  at("copy-command").addEventListener("click", () => copy(asCommand(state), "The question is copied as a command."));
  addEventListener("hashchange", () => { recall(location.hash); show(); remember(written(state)); });
  addEventListener("beforeprint", () => { for (const box of document.querySelectorAll("main details.group, #derivation")) box.open = true; show(); });
  addEventListener("resize", () => showCurve(answered(state)));
  addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input[type=text]");
    if (!(event.ctrlKey || event.metaKey) || isTyping || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    stepBack(event.shiftKey ? 1 : -1);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => themed(document.documentElement.dataset.theme || ""));
}

function copy(text, done) {
  const fallback = () => notice(text);
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => notice(done), fallback);
  else fallback();
}

prepare();
themed("");
recall(location.hash);
show();
listLeftOut();
keep();
