// A choice among many, with search: type a few letters, go with the arrow keys, take with Enter.

class Combobox {
  constructor(place, label, entries, chosen, take) {
    Object.assign(this, {entries, chosen, take, shown: entries, active: -1});
    this.list = element("ul", {id: `choices-${place}`, role: "listbox", "aria-label": label, hidden: ""});
    this.input = element("input", {
      type: "text", id: `choice-${place}`, role: "combobox", autocomplete: "off", spellcheck: "false", "aria-label": label,
      "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.list.id, value: chosen,
    });
    this.box = element("div", {class: "combobox"}, this.input, this.list);
    this.input.addEventListener("focus", () => { this.input.select(); this.open(this.entries); });
    this.input.addEventListener("click", () => this.open(this.entries));
    this.input.addEventListener("input", () => this.open(this.found(this.input.value)));
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    this.input.addEventListener("blur", () => this.close());
    this.list.addEventListener("pointerdown", (event) => {
      const item = event.target.closest("li[data-name]");
      event.preventDefault();
      if (item) this.chose(item.dataset.name);
    });
  }

  found(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return this.entries.filter((entry) => {
      const whole = [entry.name, entry.title, ...entry.also].join(" ").toLowerCase();
      return words.every((word) => whole.includes(word));
    });
  }

  open(entries) {
    this.shown = entries;
    this.active = entries.findIndex((entry) => entry.name === this.chosen);
    const items = entries.map((entry, i) => element("li", {
      id: `${this.list.id}-${i}`, role: "option", "data-name": entry.name, "aria-selected": String(entry.name === this.chosen),
    }, element("b", {}, entry.name), element("span", {}, entry.title)));
    this.list.replaceChildren(...(items.length ? items : [element("li", {class: "none"}, "Nothing of that name is on this page.")]));
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.marked();
  }

  marked() {
    [...this.list.children].forEach((item, i) => item.classList.toggle("active", i === this.active));
    const item = this.list.children[this.active];
    if (item && item.id) { this.input.setAttribute("aria-activedescendant", item.id); item.scrollIntoView({block: "nearest"}); } else this.input.removeAttribute("aria-activedescendant");
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.value = this.chosen;
  }

  pressed(event) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (step) {
      event.preventDefault();
      if (this.list.hidden) this.open(this.entries);
      else if (this.shown.length) this.active = (this.active + step + this.shown.length) % this.shown.length;
      this.marked();
    } else if (event.key === "Enter" && !this.list.hidden) {
      event.preventDefault();
      const entry = this.shown[this.active] || this.shown[0];
      if (entry) this.chose(entry.name);
    } else if (event.key === "Escape") this.close();
  }

  chose(name) {
    this.chosen = name;
    this.close();
    this.take(name);
  }
}
