// The controls: a row for each given, with a slider, a number field and a unit, grouped by where the number is from.

const STEPS = 1000; // of a slider

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// A number as a place on its slider, and back. The left end of a slider that begins at zero is the zero.
function placeOf({low, high, isRatio, zero}, number) {
  if (zero && number <= low) return 0;
  const share = isRatio ? Math.log(number / low) / Math.log(high / low) : (number - low) / (high - low);
  return Math.round(STEPS * Math.min(Math.max(share, 0), 1));
}

function numberAt(reach, place) {
  if (reach.zero && place <= 0) return 0;
  if (place <= 0) return reach.low;
  return place >= STEPS ? reach.high : rounded(along(reach, place / STEPS));
}

class Row {
  constructor(name, actions) {
    Object.assign(this, {name, actions, quantity: page.quantities[name]});
    const id = `given-${name}`;
    this.label = element("label", {for: id}, name);
    this.meaning = element("span", {class: "meaning", id: `${id}-meaning`}, this.quantity.meaning);
    this.slider = element("input", {type: "range", min: 0, max: STEPS, step: 1, "aria-label": `${name}, slider`});
    this.field = element("input", {type: "text", inputmode: "decimal", id, "aria-describedby": `${id}-meaning ${id}-slip`, autocomplete: "off"});
    this.unit = unitChoice(name, actions, `unit of ${name}`);
    this.ask = element("button", {type: "button", class: "ask", title: `Solve for ${name}`}, "solve for");
    this.ask.setAttribute("aria-label", `solve for ${name}`);
    this.result = element("output", {class: "solved", hidden: ""});
    this.slip = element("p", {class: "slip", id: `${id}-slip`, role: "alert", hidden: ""});
    this.box = element("div", {class: "row", "data-name": name}, element("div", {class: "names"}, this.label, this.meaning, this.ask),
      this.slider, element("div", {class: "value"}, this.field, this.unit), this.slip, this.result);
    this.slider.addEventListener("input", () => this.slid());
    this.slider.addEventListener("change", () => actions.kept());
    this.field.addEventListener("focus", () => this.began());
    this.field.addEventListener("input", () => this.typed(false));
    this.field.addEventListener("change", () => this.typed(true));
    this.ask.addEventListener("click", () => actions.asked(name));
  }

  slid() {
    const reach = reachOf(this.actions.state(), this.name), before = stated(this.actions.state(), this.name).number;
    let number = numberAt(reach, Number(this.slider.value));
    if (this.quantity.whole) {
      const way = Math.sign(number - before);
      number = Math.round(number);
      if (number === before) number = Math.min(Math.max(before + way, Math.ceil(reach.low)), Math.floor(reach.high));
    }
    this.actions.moved(this.name, number);
  }

  // What cannot be understood stays in the field, with what is wrong below it; the answer is the one from before it was typed.
  typed(isDone) {
    const {number, unit, slip} = understood(this.name, this.field.value, unitOf(this.actions.state(), this.name));
    const isEmpty = this.field.value.trim() === "";
    this.field.setAttribute("aria-invalid", String(slip !== undefined));
    if (slip !== undefined) {
      this.actions.restored(this.name, this.before, this.field);
      if (isDone && isEmpty) this.forgiven();
      else if (isDone) this.refused(slip);
      if (isDone) this.actions.kept();
      return;
    }
    this.forgiven();
    this.actions.moved(this.name, number, this.field);
    if (!isDone) return;
    if (unit) this.actions.measured(this.name, unit);
    this.actions.kept();
    this.began();
  }

  began() {
    const {values} = this.actions.state();
    this.before = Object.hasOwn(values, this.name) ? values[this.name] : undefined;
  }

  refused(text) {
    this.slip.textContent = text;
    this.slip.hidden = false;
    this.slipped = stated(this.actions.state(), this.name).number;
  }

  forgiven() {
    this.slip.hidden = true;
    this.slipped = undefined;
    this.field.removeAttribute("aria-invalid");
  }

  update(state, answer, typing) {
    const isSolved = state.solve === this.name, variant = variantOf(state);
    const number = isSolved ? answer.number : stated(state, this.name).number, unit = unitOf(state, this.name);
    this.box.classList.toggle("is-solved", isSolved);
    this.box.classList.toggle("is-moved", Object.hasOwn(state.values, this.name));
    for (const part of [this.slider, this.field, this.unit]) part.hidden = isSolved;
    this.result.hidden = !isSolved;
    this.unit.value = unit.text;
    if (isSolved) {
      this.result.textContent = Number.isNaN(number) ? "solved for: no answer" : `solved for: ${told(state, this.name, number)}`;
    } else {
      this.slider.value = String(placeOf(reachOf(state, this.name), number));
      this.slider.setAttribute("aria-valuetext", told(state, this.name, number));
      const isRefused = this.slipped !== undefined && (this.slipped === number || Number.isNaN(number));
      if (this.slipped !== undefined && !isRefused) this.forgiven();
      if (this.field !== typing && !isRefused) this.field.value = plain(shownIn(this.name, number, unit));
    }
    const plan = typeof variant === "string" ? variant : planOf(state, variant, this.name);
    const why = plan === undefined ? "Nothing follows from it: only a check needs it." : typeof plan === "string" ? plan : "";
    this.ask.disabled = isSolved || why !== "";
    this.ask.title = why || `Solve for ${this.name}`;
  }
}

function unitChoice(name, actions, label) {
  const units = unitsOf(name), many = units.length > 1;
  const options = units.map(({text}) => element("option", {value: text}, text === "" ? "no unit" : text));
  const made = element("select", {class: "unit", "aria-label": label}, ...options);
  made.disabled = !many;
  made.addEventListener("change", () => actions.measured(name, made.value));
  return made;
}

// The groups of rows: what was typed and the former target, what each profile states, and what is assumed.
function groupsOf(state) {
  const variant = variantOf(state), groups = [{title: "Given", names: []}, ...page.slots.map((slot, place) => ({place, names: []})), {title: "Assumed", names: [], folded: true}];
  if (typeof variant === "string") return groups;
  for (const name of [state.held, ...variant.known, ...variant.beside]) {
    if (name === state.held && state.solve === state.held) continue;
    const untouched = {...state, values: {}}, from = name === state.held ? {from: "typed"} : stated(untouched, name);
    const group = from.from === "typed" ? groups[0] : from.place !== undefined ? groups[from.place + 1] : groups[groups.length - 1];
    group.names.push(name);
  }
  return groups;
}

const KINDS = {accelerators: "Chip", models: "Model", prices: "Price sheet", tiers: "Tier of memory"};

// All rows of a state, as a fragment; `rows` is filled with them by name.
function drawnGroups(state, actions, rows) {
  const made = [];
  for (const group of groupsOf(state)) {
    const parts = [];
    if (group.place !== undefined) parts.push(slotChoice(group.place, state, actions));
    for (const name of group.names) {
      rows[name] = new Row(name, actions);
      parts.push(rows[name].box);
    }
    if (!parts.length) continue;
    const title = group.title || KINDS[page.slots[group.place].kind] || "Profile";
    if (group.folded) {
      const box = element("details", {class: "group"}, element("summary", {}, `${title} (${group.names.length})`), ...parts);
      box.open = group.names.some((name) => Object.hasOwn(state.values, name) || name === state.solve) || actions.isOpen(title);
      box.addEventListener("toggle", () => actions.opened(title, box.open));
      made.push(box);
    } else made.push(element("fieldset", {class: "group"}, element("legend", {}, title), ...parts));
  }
  return made;
}

function slotChoice(place, state, actions) {
  const slot = page.slots[place], label = KINDS[slot.kind] || "Profile";
  const combobox = new Combobox(place, label, slot.profiles, state.chosen[place], (name) => actions.chose(place, name));
  const title = profileOf(place, state.chosen[place]).title;
  return element("div", {class: "slot"}, combobox.box, element("span", {class: "meaning"}, title));
}
