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

// A quantity's number with its unit, as a sentence says it.
function told(state, name, number, digits = 6) {
  const unit = unitOf(state, name);
  return withUnit(digitsOf(shownIn(name, number, unit), digits), unit.text);
}
