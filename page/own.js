// A law of the reader's: what a round trip adds and a loss leaves, as expressions.

/* global element */

const EXAMPLES = [
  ["Reno", "1", "w / 2"],
  ["Scalable TCP", "0.01 * w", "0.875 * w"],
  ["General AIMD (0.31, 1/8)", "0.31", "0.875 * w"],
  ["Reno, the same at any round trip", "(r / 0.06)^2", "w / 2"],
  ["the square root of the window", "sqrt(w) / 2", "w - sqrt(w)"],
];

export class Editor {
  /** `run({ grow, shrink })` runs it beside CUBIC. */
  constructor(host, run) {
    this.run = run;
    const field = (id, value) => element("input", { id, type: "text", value, spellcheck: "false", autocomplete: "off", maxlength: "200" });
    this.grow = field("own-grow", EXAMPLES[0][1]);
    this.shrink = field("own-shrink", EXAMPLES[0][2]);
    this.wrong = element("p", { class: "wrong", role: "alert", hidden: "" });
    const examples = element("select", { id: "own-example", onchange: () => this.fill(EXAMPLES[examples.value]) });
    examples.append(...EXAMPLES.map(([name], nth) => element("option", { value: nth }, name)));
    const form = element(
      "form",
      { onsubmit: (event) => { event.preventDefault(); this.go(); } },
      element("label", { for: "own-example" }, "Begin with"), examples,
      element("label", { for: "own-grow" }, "A round trip adds"), this.grow,
      element("label", { for: "own-shrink" }, "A loss leaves"), this.shrink,
      this.wrong,
      element("button", { type: "submit" }, "Run it beside CUBIC"),
    );
    host.replaceChildren(
      element("p", { class: "text" }, "w: the window in packets; r: the round trip in seconds; + - * / ^ ( ) sqrt cbrt ln exp abs min max. Slow start, recovery and timers are those of any other law."),
      form,
    );
  }

  fill([, grow, shrink]) {
    this.grow.value = grow;
    this.shrink.value = shrink;
    this.go();
  }

  go() {
    this.says(null);
    this.run({ grow: this.grow.value, shrink: this.shrink.value });
  }

  /** What is wrong with it, or null. */
  says(message) {
    this.wrong.hidden = message === null;
    this.wrong.textContent = message ?? "";
    for (const input of [this.grow, this.shrink]) input.toggleAttribute("aria-invalid", false);
  }
}
