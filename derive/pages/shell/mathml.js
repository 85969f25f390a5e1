// The package's own LaTeX as MathML: fractions, roots, scripts, cases, and letters.

const GREEK = {
  alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ϵ", varepsilon: "ε", zeta: "ζ", eta: "η", theta: "θ", iota: "ι",
  kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", upsilon: "υ", phi: "ϕ",
  chi: "χ", psi: "ψ", omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Xi: "Ξ", Pi: "Π", Sigma: "Σ",
  Upsilon: "Υ", Phi: "Φ", Psi: "Ψ", Omega: "Ω", ell: "ℓ", hbar: "ℏ", infty: "∞",
};
const SIGNS = {
  cdot: "⋅", times: "×", le: "≤", ge: "≥", ne: "≠", equiv: "≡", to: "→", leftarrow: "←", rightarrow: "→", star: "⋆",
  parallel: "∥", perp: "⊥", prime: "′", neg: "¬", ldots: "…", circ: "∘", lceil: "⌈", rceil: "⌉", lfloor: "⌊", rfloor: "⌋",
  lvert: "|", rvert: "|", backslash: "\\",
};
const ACCENTS = {bar: "¯", hat: "^", tilde: "~", dot: "˙"};
const SPACES = {",": "0.17em", ";": "0.28em", " ": "0.25em", quad: "1em"};

function escaped(text) {
  return text.replace(/[&<>"]/g, (sign) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[sign]);
}

const TOKEN = /\\([A-Za-z]+)|\\(.)|([0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)|(\s+)|([^])/y;

function tokensOf(latex) {
  const found = [];
  TOKEN.lastIndex = 0;
  for (let one; TOKEN.lastIndex < latex.length && (one = TOKEN.exec(latex));) {
    if (one[1]) found.push({kind: "command", text: one[1]});
    else if (one[2]) found.push({kind: "escaped", text: one[2]});
    else if (one[3]) found.push({kind: "number", text: one[3]});
    else if (one[4]) found.push({kind: "space", text: " "});
    else found.push({kind: "sign", text: one[5]});
  }
  return found;
}

class Typesetting {
  constructor(latex) {
    this.tokens = tokensOf(latex);
    this.at = 0;
  }

  get next() { return this.tokens[this.at]; }

  isSign(text) { return this.next && this.next.kind === "sign" && this.next.text === text; }

  isCommand(text) { return this.next && this.next.kind === "command" && this.next.text === text; }

  row(isEnd) {
    const parts = [];
    while (this.next && !isEnd()) {
      const part = this.scripted();
      if (part) parts.push(part);
    }
    return `<mrow>${parts.join("")}</mrow>`;
  }

  scripted() {
    let base = this.atom();
    let below = "", above = "";
    for (;;) {
      if (this.isSign("_")) { this.at++; below = this.atom(); } else if (this.isSign("^")) { this.at++; above = this.atom(); } else break;
    }
    if (below && above) return `<msubsup>${base || "<mrow></mrow>"}${below}${above}</msubsup>`;
    if (below) return `<msub>${base || "<mrow></mrow>"}${below}</msub>`;
    return above ? `<msup>${base || "<mrow></mrow>"}${above}</msup>` : base;
  }

  group() {
    while (this.next && this.next.kind === "space") this.at++;
    if (!this.isSign("{")) return this.atom();
    this.at++;
    const made = this.row(() => this.isSign("}"));
    this.at++;
    return made;
  }

  // The text in braces as it stands, for upright words and units.
  raw() {
    let depth = 0, text = "";
    do {
      const one = this.tokens[this.at++];
      if (!one) break;
      if (one.kind === "sign" && one.text === "{") { if (depth++) text += ""; } else if (one.kind === "sign" && one.text === "}") depth--;
      else if (one.kind === "command") { text += GREEK[one.text] || SIGNS[one.text] || ""; if (this.next && this.next.kind === "space") this.at++; }
      else if (one.kind === "escaped" && one.text === ",") text += "·";
      else if (one.kind === "sign" && one.text === "^") text += this.power();
      else text += one.text;
    } while (depth > 0);
    return text;
  }

  // A power inside upright text, such as the square of m/s^{2}.
  power() {
    const high = {"-": "⁻", "+": "⁺", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹"};
    const inside = this.isSign("{") ? this.raw() : this.tokens[this.at++].text;
    if (inside === "∘") return "°";
    return [...inside].every((sign) => high[sign]) ? [...inside].map((sign) => high[sign]).join("") : `^${inside}`;
  }

  atom() {
    const one = this.next;
    if (!one) return "";
    if (one.kind === "sign" && one.text === "{") return this.group();
    this.at++;
    if (one.kind === "space") return "";
    if (one.kind === "number") return `<mn>${one.text}</mn>`;
    if (one.kind === "escaped") {
      return SPACES[one.text] ? `<mspace width="${SPACES[one.text]}"></mspace>` : `<mo>${escaped(one.text)}</mo>`;
    }
    if (one.kind === "command") return this.command(one.text);
    return /\p{L}/u.test(one.text) ? `<mi>${one.text}</mi>` : `<mo>${escaped(one.text === "-" ? "−" : one.text)}</mo>`;
  }

  command(name) {
    if (name === "frac") {
      const above = this.group();
      return `<mfrac>${above}${this.group()}</mfrac>`;
    }
    if (name === "sqrt") return `<msqrt>${this.group()}</msqrt>`;
    if (name === "left") return this.fenced();
    if (name === "begin") return this.cases();
    if (ACCENTS[name]) return `<mover accent="true">${this.group()}<mo>${ACCENTS[name]}</mo></mover>`;
    if (["mathrm", "text", "mathit", "operatorname", "mathcal"].includes(name)) return `<mtext>${escaped(this.raw()).replace(/ /g, "\u00a0")}</mtext>`;
    if (GREEK[name]) return `<mi>${GREEK[name]}</mi>`;
    if (SIGNS[name]) return `<mo>${escaped(SIGNS[name])}</mo>`;
    if (SPACES[name]) return `<mspace width="${SPACES[name]}"></mspace>`;
    return `<mi>${escaped(name)}</mi>`;
  }

  delimiter() {
    const one = this.tokens[this.at++];
    if (!one || one.text === ".") return "";
    return escaped(one.kind === "command" ? SIGNS[one.text] || "|" : one.text);
  }

  fenced() {
    const open = this.delimiter(), inside = this.row(() => this.isCommand("right"));
    this.at++;
    return `<mrow><mo>${open}</mo>${inside}<mo>${this.delimiter()}</mo></mrow>`;
  }

  // \begin{cases} value & condition \\ ... \end{cases}
  cases() {
    this.raw();
    const rows = [[]];
    while (this.next && !this.isCommand("end")) {
      rows[rows.length - 1].push(this.row(() => this.isSign("&") || this.isCommand("end") || this.isBreak()));
      if (this.isSign("&")) this.at++;
      else if (this.isBreak()) { this.at++; rows.push([]); }
    }
    this.at++;
    this.raw();
    const body = rows.map((cells) => `<mtr>${cells.map((cell) => `<mtd>${cell}</mtd>`).join("")}</mtr>`).join("");
    return `<mrow><mo>{</mo><mtable class="cases">${body}</mtable></mrow>`;
  }

  isBreak() { return this.next && this.next.kind === "escaped" && this.next.text === "\\"; }
}

function mathOf(latex) {
  return new Typesetting(latex).row(() => false);
}

// A unit as upright LaTeX, as `derive.presentation.mathematics` writes it.
function unitLatex(text) {
  if (text === "" || text === "1" || text === "dimensionless") return "";
  const plain = text.trim().replace(/[⁺⁻]?[⁰¹²³⁴-⁹]+/g, (high) => `**${[...high].map((sign) => "0123456789+-"["⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻".indexOf(sign)]).join("")}`)
    .replace(/[·⋅×]/g, "*").replace(/\bper\b/g, "/").replace(/\s*(\*\*|[*/^])\s*|\s+(?=\))|(?<=[(+-])\s+/g, "$1");
  const power = /(?:\*\*|\^)(?:\(([+-]?[0-9.]+(?:\/[0-9]+)?)\)|([+-]?[0-9]+(?:\.[0-9]+)?))/g;
  const raised = withDividedFactors(plain.replace(power, (_, inside, bare) => `^{${inside || bare}}`));
  return `\\mathrm{${raised.replace(/\*|\s+/g, "\\,").replace(/[%$_]/g, "\\$&").replace(/[µμ]/g, "\\mu ")}}`;
}

// Brackets around each quotient that is multiplied: J/kg K would be read as J/(kg K).
function withDividedFactors(text) {
  let written = "";
  const levels = [{start: 0, isDivided: false}]; // the open brackets
  for (const sign of text) {
    const level = levels.at(-1);
    if (sign === "*" && level.isDivided) {
      written = `${written.slice(0, level.start)}(${written.slice(level.start)})`;
      level.isDivided = false;
    } else if (sign === "/") level.isDivided = true;
    else if ("({".includes(sign)) levels.push({start: written.length + 1, isDivided: false});
    else if (")}".includes(sign) && levels.length > 1) levels.pop();
    written += sign;
  }
  return written;
}

// A number and its unit as LaTeX, with a power of ten where it is far from one.
function amountLatex(number, unit, digits) {
  const [mantissa, power] = digitsOf(number, digits).split("e");
  const shown = power ? `${mantissa}\\times10^{${Number(power)}}` : mantissa.replace("∞", "\\infty").replace("–", "?");
  const spelled = unitLatex(unit);
  return spelled ? `${shown}\\,${spelled}` : shown;
}
