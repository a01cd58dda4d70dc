// The form: everything that a reader may set, each with a slider or a list and its unit.

/* global element */

import { bdp, count, percent, rate, time } from "./quantity.js";
import { group } from "./setting.js";

const STEPS = 1000;

/** The law that the reader writes. */
const OWN = "own";

/** A scale of a slider: from `low` to `high` by powers, or evenly; with a place for none. */
const powers = (low, high, none = false) => ({
  low: none ? 0 : low,
  high,
  place: (value) => (none && value <= 0 ? 0 : Math.round((STEPS * Math.log(Math.max(value, low) / low)) / Math.log(high / low)) + (none ? 1 : 0)),
  value: (place) => (none && place === 0 ? 0 : Number((low * (high / low) ** ((place - (none ? 1 : 0)) / STEPS)).toPrecision(2))),
  steps: STEPS + (none ? 1 : 0),
});
const even = (low, high, step) => ({
  low,
  high,
  place: (value) => Math.round((value - low) / step),
  value: (place) => Number((low + place * step).toPrecision(6)),
  steps: Math.round((high - low) / step),
});

const SCALES = {
  rate: [powers(1e6, 1e10), rate],
  rtt: [powers(1e-3, 0.5), time],
  buffer: [powers(0.05, 16), bdp],
  loss: [powers(1e-6, 0.05, true), percent],
  cross: [even(0, 0.8, 0.05), percent],
  hostTime: [powers(1e-6, 0.02, true), time],
  duration: [even(10, 300, 5), time],
  seed: [even(1, 20, 1), count],
  count: [even(1, 20, 1), count],
  extra: [even(0, 0.3, 0.005), time],
  start: [even(0, 60, 1), time],
};

let numbered = 0;

/** A slider with its exact value beside it. `changed(value, moving)`. */
function slider(label, [scale, quantity], value, changed, hint = "") {
  const id = `set${numbered++}`;
  const range = element("input", { type: "range", id, min: 0, max: scale.steps, step: 1 });
  const exact = element("input", { type: "text", "aria-label": `${label}, exact`, spellcheck: "false", autocomplete: "off" });
  const wrong = element("p", { class: "wrong", role: "alert", hidden: "" });
  const show = (now) => {
    range.value = scale.place(now);
    range.setAttribute("aria-valuetext", quantity.show(now));
    exact.value = quantity.show(now);
    wrong.hidden = true;
    exact.removeAttribute("aria-invalid");
  };
  const moved = (moving) => {
    const now = scale.value(Number(range.value));
    range.setAttribute("aria-valuetext", quantity.show(now));
    exact.value = quantity.show(now);
    changed(now, moving);
  };
  range.addEventListener("input", () => moved(true));
  range.addEventListener("change", () => moved(false));
  exact.addEventListener("change", () => {
    const now = quantity.parse(exact.value);
    if (now === null || now < scale.low || now > scale.high) {
      wrong.textContent = `From ${quantity.show(scale.low)} to ${quantity.show(scale.high)}`;
      wrong.hidden = false;
      exact.setAttribute("aria-invalid", "true");
      return;
    }
    show(now);
    changed(now, false);
  });
  show(value);
  const row = element("div", { class: "slider" }, element("label", { for: id }, label), exact, range, wrong);
  if (hint) row.title = hint;
  return { row, show, range };
}

function list(label, options, value, changed) {
  const id = `set${numbered++}`;
  const select = element("select", { id });
  for (const [heading, own] of options) {
    const into = heading ? select.appendChild(element("optgroup", { label: heading })) : select;
    into.append(...own.map(([key, text]) => element("option", { value: key }, text)));
  }
  select.value = value;
  select.addEventListener("change", () => changed(select.value));
  return { row: element("div", { class: "slider" }, element("label", { for: id }, label), select), select };
}

/** A list of values that are no texts: [[value, text]]. */
function chosen(label, options, value, changed) {
  const texts = options.map(([, text], nth) => [String(nth), text]);
  return list(label, [["", texts]], String(options.findIndex(([own]) => own === value)), (nth) => changed(options[nth][0]));
}

const MARKS = [[null, "as the policy does"], [true, "mark"], [false, "drop"]];
const ECN = [[null, "as the law does"], [true, "as in RFC 3168"], ["accurate", "accurate (AccECN)"], ["l4s", "L4S"], [false, "no"]];

/** Kinds of a registry under their families' headings. */
function families(kinds) {
  const found = new Map();
  for (const kind of kinds) {
    if (!found.has(kind.family)) found.set(kind.family, []);
    found.get(kind.family).push([kind.key, kind.name === kind.key ? kind.key : `${kind.key}: ${kind.name}`]);
  }
  return [...found];
}

/** The parameters of a law or a policy, folded. */
function parameters(kind, values, changed) {
  const rows = (kind?.parameters ?? []).map((parameter) => {
    const id = `set${numbered++}`;
    const now = values[parameter.key] ?? parameter.default;
    const flag = parameter.unit === "flag";
    const input = flag ? element("input", { type: "checkbox", id }) : element("input", { type: "number", id, min: parameter.min, max: parameter.max, step: "any", value: now });
    if (flag) input.checked = Boolean(Number(now));
    input.addEventListener("change", () => {
      const value = flag ? Number(input.checked) : input.valueAsNumber;
      if (!flag && !input.checkValidity()) return input.reportValidity();
      const next = { ...values };
      if (value === parameter.default || Number.isNaN(value)) delete next[parameter.key];
      else next[parameter.key] = value;
      changed(next);
    });
    const unit = parameter.unit && !flag ? ` (${parameter.unit})` : "";
    return element("div", { class: "parameter" }, element("label", { for: id }, element("code", {}, parameter.key), unit), input, element("p", {}, parameter.doc));
  });
  if (rows.length === 0) return null;
  const set = Object.keys(values).length;
  return element("details", set ? { open: "" } : {}, element("summary", {}, `Parameters of ${kind.key}${set ? `, ${set} set` : ""}`), ...rows);
}

export class Form {
  /** `changed(setting, moving)` is told of every change; `law(key)` of a wish to read one. */
  constructor(host, catalogue, { changed, law, only = null }) {
    Object.assign(this, { host, catalogue, changed, law, only });
  }

  set(change, moving = false) {
    this.setting = { ...this.setting, ...change };
    this.changed(this.setting, moving);
  }

  /** Draws the form anew, and puts the keyboard where it was. */
  show(setting) {
    this.setting = setting;
    const open = new Set([...this.host.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent.split(",")[0]));
    const focus = document.activeElement?.closest?.("[data-control]")?.dataset.control;
    const parts = [this.path(), this.flows(), this.more()];
    // a few controls only, in the order asked for
    const found = (key) => parts.map((part) => part.querySelector(`[data-control="${key}"]`)).find(Boolean);
    this.host.replaceChildren(...(this.only ? this.only.map(found).filter(Boolean) : parts));
    if (this.only) for (const fold of this.host.querySelectorAll("details")) fold.open = true;
    for (const summary of this.host.querySelectorAll("details > summary")) if (open.has(summary.textContent.split(",")[0])) summary.parentNode.open = true;
    if (focus) this.host.querySelector(`[data-control="${CSS.escape(focus)}"] :is(select, input, button)`)?.focus({ preventScroll: true });
  }

  control(key, made) {
    made.row.dataset.control = key;
    return made.row;
  }

  number(key, label, hint) {
    return this.control(key, slider(label, SCALES[key], this.setting[key], (value, moving) => this.set({ [key]: value }, moving), hint));
  }

  path() {
    const { policy } = this.setting;
    const policies = list("Queue policy", families(this.catalogue.queues), policy.name, (name) => {
      // marks are the policy's to make
      this.set({ policy: { name, values: {} }, ecn: null });
      this.show(this.setting);
    });
    const kind = this.catalogue.queues.find(({ key }) => key === policy.name);
    const values = parameters(kind, policy.values, (next) => this.set({ policy: { name: policy.name, values: next } }));
    return element(
      "fieldset",
      {},
      element("legend", {}, "Path"),
      this.number("rate", "Rate of the link"),
      this.number("rtt", "Round trip", "without queues"),
      this.number("buffer", "Buffer", "in bandwidth-delay products"),
      this.control("policy", policies),
      this.control("ecn", chosen("Queue's ECN", MARKS, this.setting.ecn, (ecn) => this.set({ ecn }))),
      ...(values ? [element("div", { "data-control": "parameters" }, values)] : []),
      this.number("loss", "Random loss", "of packets on the link, after the queue"),
      this.number("cross", "Cross traffic", "bursts that do not react, as a mean share of the rate"),
    );
  }

  flows() {
    const rows = this.setting.groups.map((own, nth) => this.group(own, nth));
    const add = element("button", { type: "button", onclick: () => this.groups([...this.setting.groups, group("cubic")]) }, "Add flows");
    return element("fieldset", {}, element("legend", {}, "Flows"), ...rows, element("div", { "data-control": "add" }, add));
  }

  /** What the reader's own law does, as it is typed. */
  own() {
    const input = (key, label) => {
      const id = `set${numbered++}`;
      const field = element("input", { type: "text", id, value: this.setting.own[key], maxlength: "200", spellcheck: "false", autocomplete: "off" });
      field.addEventListener("input", () => this.set({ own: { ...this.setting.own, [key]: field.value } }, true));
      field.addEventListener("change", () => this.set({ own: { ...this.setting.own, [key]: field.value } }));
      return element("div", { class: "slider", "data-control": `own.${key}` }, element("label", { for: id }, label), field);
    };
    return [input("grow", "A round trip adds"), input("shrink", "A loss leaves")];
  }

  groups(groups) {
    this.set({ groups });
    this.show(this.setting);
  }

  group(own, nth) {
    const change = (part, moving = false) => this.set({ groups: this.setting.groups.map((other, at) => (at === nth ? { ...other, ...part } : other)) }, moving);
    const law = list("Congestion control", families(this.catalogue.laws), own.law, (key) => {
      if (key === OWN && !this.setting.own) this.setting = { ...this.setting, own: { grow: "1", shrink: "w / 2" } };
      change({ law: key, values: {} });
      this.show(this.setting);
    });
    const part = (key, label, hint) => this.control(`${key}.${nth}`, slider(label, SCALES[key], own[key], (value, moving) => change({ [key]: value }, moving), hint));
    const values = parameters(this.catalogue.laws.find(({ key }) => key === own.law), own.values, (next) => change({ values: next }));
    const read = element("button", { type: "button", onclick: () => this.law(own.law) }, `How ${own.law} works`);
    const remove = element("button", { type: "button", "aria-label": `Remove ${own.law}`, onclick: () => this.groups(this.setting.groups.filter((_, at) => at !== nth)) }, "Remove");
    return element(
      "div",
      { class: "group", role: "group", "aria-label": `Flows ${nth + 1}: ${own.law}` },
      this.control(`law.${nth}`, law),
      ...(own.law === OWN && this.setting.own ? this.own() : []),
      part("count", "Number of flows"),
      element(
        "details",
        own.extra || own.start || own.ecn !== null ? { open: "" } : {},
        element("summary", {}, "Later, farther away or ECN"),
        part("extra", "Longer round trip by"),
        part("start", "Start at"),
        this.control(`ecn.${nth}`, chosen("ECN", ECN, own.ecn, (ecn) => change({ ecn }))),
      ),
      ...(values ? [values] : []),
      element("div", { class: "bar" }, ...(own.law === OWN ? [] : [read]), ...(this.setting.groups.length > 1 ? [remove] : [])),
    );
  }

  /** Each step of the rate or the round trip: to what, and when. */
  steps({ of, steps }, duration) {
    const put = (next, moving) => this.set({ change: { of, steps: next } }, moving);
    const redraw = (next) => {
      put(next);
      this.show(this.setting);
    };
    const now = () => this.setting.change.steps;
    const change = (nth, part, moving) => put(now().map((step, at) => (at === nth ? { ...step, ...part } : step)), moving);
    const rows = steps.map(({ at, to }, nth) => {
      const remove = element("button", { type: "button", "aria-label": `Remove step ${nth + 1}`, onclick: () => redraw(now().filter((_, own) => own !== nth)) }, "Remove");
      return element(
        "div",
        { class: "group", role: "group", "aria-label": `Step ${nth + 1}` },
        this.control(`change.to.${nth}`, slider("to", SCALES[of], to, (next, moving) => change(nth, { to: next }, moving))),
        this.control(`change.at.${nth}`, slider("at", [even(1, duration, 1), time], at, (next, moving) => change(nth, { at: next }, moving))),
        ...(steps.length > 1 ? [element("div", { class: "bar" }, remove)] : []),
      );
    });
    const next = () => ({ at: Math.round((Math.max(...now().map(({ at }) => at)) + duration) / 2), to: this.setting[of] });
    const add = element("button", { type: "button", onclick: () => redraw([...now(), next()]) }, "Add a step");
    return [...rows, element("div", { "data-control": "change.add" }, add)];
  }

  more() {
    const { change, profile, duration } = this.setting;
    const what = list("The path changes", [["", [["", "no"], ["rate", "its rate"], ["rtt", "its round trip"]]]], change?.of ?? "", (of) => {
      this.set({ change: of ? { of, steps: [{ at: duration / 2, to: this.setting[of] / 2 }] } : null });
      this.show(this.setting);
    });
    const steps = change ? this.steps(change, duration) : [];
    const hosts = slider("Hosts' random delay", SCALES.hostTime, this.setting.hostTime ?? 5e-6, (hostTime, moving) => this.set({ hostTime }, moving));
    const profiles = list("TCP as in", [["", [["linux", "Linux"], ["ns2", "ns-2"]]]], profile, (next) => this.set({ profile: next }));
    return element(
      "fieldset",
      {},
      element("legend", {}, "Experiment"),
      this.control("change", what),
      ...steps,
      this.number("duration", "Duration"),
      element("details", {}, element("summary", {}, "More"), this.control("hostTime", hosts), this.number("seed", "Seed", "of all random numbers"), this.control("profile", profiles)),
    );
  }
}
