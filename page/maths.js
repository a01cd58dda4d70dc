// Equations of the sheets, which are plain text, as MathML. What is no formula stays text.

const NS = "http://www.w3.org/1998/Math/MathML";
const GREEK = { alpha: "α", beta: "β", gamma: "γ", delta: "δ", eps: "ε", theta: "θ", omega: "ω", tau: "τ", sigma: "σ", mu: "μ", lambda: "λ", pi: "π" };
const FUNCTIONS = new Set(["ln", "exp", "log", "min", "max", "sum", "mean", "sign", "abs"]);
const WORDS = new Set(["cwnd", "ssthresh", "RTT", "baseRTT", "bw", "pacing", "target", "dRTT", "dT", "dw", "Qf"]);
/** A part with one of these is a sentence. */
const PROSE = new Set(["if", "or", "is", "up", "to", "by", "in", "of", "at", "no", "as", "be", "on", "it", "an"]);
const RELATIONS = { "<-": "←", "->": "→", "<=": "≤", ">=": "≥", "<": "<", ">": ">", "=": "=" };
const OPERATORS = { "+": "+", "-": "−", "*": "·", ",": "," };

const make = (name, ...children) => {
  const made = document.createElementNS(NS, name);
  made.append(...children);
  return made;
};

/** A parenthesis, as high as a line unless there is a fraction in it. */
function fence(sign, inside) {
  const made = make("mo", sign);
  if (!inside.querySelector("mfrac, msqrt, mroot")) made.setAttribute("stretchy", "false");
  return made;
}

class NoFormula extends Error {}

function tokens(text) {
  const found = [];
  const rule = /(\s*)(\d+(?:\.\d+)?(?:e-?\d+)?|[A-Za-z]+(?:_[A-Za-z0-9]+)*'?|<-|->|<=|>=|[-+*/^=<>(),|])/y;
  let at = 0;
  while (at < text.trimEnd().length) {
    rule.lastIndex = at;
    const match = rule.exec(text);
    if (!match) throw new NoFormula();
    found.push({ text: match[2], spaced: match[1] !== "" });
    at = rule.lastIndex;
  }
  return found;
}

class Parser {
  constructor(text) {
    this.tokens = tokens(text);
    this.at = 0;
  }

  get next() {
    return this.tokens[this.at];
  }

  take(...wanted) {
    return wanted.includes(this.next?.text) ? this.tokens[this.at++] : null;
  }

  formula() {
    const row = this.relation();
    if (this.next) throw new NoFormula();
    return make("math", row);
  }

  relation() {
    const row = [this.sum()];
    for (let sign; (sign = this.take(...Object.keys(RELATIONS), ",")); ) row.push(make("mo", RELATIONS[sign.text] ?? sign.text), this.sum());
    return make("mrow", ...row);
  }

  sum() {
    const row = [];
    for (let sign = this.take("+", "-"); ; sign = this.take("+", "-")) {
      if (sign) row.push(make("mo", OPERATORS[sign.text]));
      else if (row.length) break;
      row.push(this.product());
    }
    return make("mrow", ...row);
  }

  /** ` / ` divides all before it, `/` only what it touches. */
  product() {
    let row = [this.power()];
    for (;;) {
      const slash = this.take("/");
      if (slash) {
        const below = this.power(true);
        const above = slash.spaced ? row.splice(0) : [row.pop()];
        row.push(make("mfrac", make("mrow", ...above), below));
      } else if (this.take("*")) row.push(make("mo", "·"), this.power());
      else if (this.next && /^[\w(|]/.test(this.next.text)) row.push(this.power());
      else return make("mrow", ...row);
    }
  }

  power(below = false) {
    const base = this.base(below);
    if (!this.take("^")) return base;
    const minus = this.take("-");
    const raised = this.base(true);
    return make("msup", base, minus ? make("mrow", make("mo", "−"), raised) : raised);
  }

  /** Parentheses around what a fraction or a root holds are left out. */
  base(bare = false) {
    const token = this.next;
    if (!token) throw new NoFormula();
    this.at += 1;
    if (token.text === "(") {
      const inside = this.relation();
      this.close(")");
      return bare ? inside : make("mrow", fence("(", inside), inside, fence(")", inside));
    }
    if (token.text === "|") {
      const inside = this.relation();
      this.close("|");
      return make("mrow", fence("|", inside), inside, fence("|", inside));
    }
    if (/^\d/.test(token.text)) return number(token.text);
    if (!/^[A-Za-z]/.test(token.text)) throw new NoFormula();
    const called = this.next?.text === "(" && !this.next.spaced;
    if (called && (token.text === "sqrt" || token.text === "cbrt")) {
      const inside = this.base(true);
      return token.text === "sqrt" ? make("msqrt", inside) : make("mroot", inside, make("mn", "3"));
    }
    const name = identifier(token.text);
    return called ? make("mrow", name, this.base()) : name;
  }

  close(sign) {
    if (!this.take(sign)) throw new NoFormula();
  }
}

function number(text) {
  const [mantissa, exponent] = text.split("e");
  if (!exponent) return make("mn", text);
  const power = make("msup", make("mn", "10"), exponent.startsWith("-") ? make("mrow", make("mo", "−"), make("mn", exponent.slice(1))) : make("mn", exponent));
  return mantissa === "1" ? power : make("mrow", make("mn", mantissa), make("mo", "·"), power);
}

function identifier(text) {
  if (PROSE.has(text)) throw new NoFormula();
  const prime = text.endsWith("'");
  const [head, ...below] = text.replace("'", "").split("_");
  if (head.length > 2 && !GREEK[head] && !FUNCTIONS.has(head) && !WORDS.has(head) && below.length === 0) throw new NoFormula();
  const name = make("mi", GREEK[head] ?? head);
  const marked = prime ? make("msup", name, make("mo", "′")) : name;
  return below.length ? make("msub", marked, make("mi", below.join(" "))) : marked;
}

/** A part of a line, or null if it is no formula. */
function formula(text) {
  if (!/[-+*/^=<>]/.test(text)) return null;
  try {
    return new Parser(text).formula();
  } catch (error) {
    if (error instanceof NoFormula) return null;
    throw error;
  }
}

/** Lines of a sheet as paragraphs. */
export function equations(text) {
  return text.split("\n").map((line) => {
    const row = document.createElement("div");
    row.className = "equation";
    if (/^\s/.test(line)) row.classList.add("deeper");
    // some are aligned at a sign
    for (const part of line.trim().replace(/([<>=]) {2,}/g, "$1 ").split(/((?:[,:;]|\.\.)\s+|\s{2,})/)) {
      if (part === "") continue;
      row.append(formula(part) ?? part.replace(/ {2,}/g, "\u2003"));
    }
    return row;
  });
}
