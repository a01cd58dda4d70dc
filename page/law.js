// A law as its sheet has it: equations, source, parameters, curves, and what it does in the run.

/* global Panels, Zoom, element */

import { equations } from "./maths.js";

const RTTS = [0.01, 0.1];
const powers = (low, high, count) => Array.from({ length: count }, (_, nth) => low * (high / low) ** (nth / (count - 1)));
const WINDOWS = [...new Set(powers(10, 1e4, 80).map(Math.round))];
const LOSSES = powers(1e-7, 0.05, 80);
/** Seconds after a loss. */
const TIMES = Array.from({ length: 161 }, (_, nth) => nth / 8);

export class Sheet {
  /** `curves` is `law_curves` of the engine; `shown()` follows when another law is there. */
  constructor(host, catalogue, curves, shown) {
    Object.assign(this, { host, catalogue, curves, shown });
    this.state = element("dl", { class: "state" });
  }

  /** Source and equations, which the engine is built without. */
  async texts(key) {
    this.read ??= fetch(new URL("texts.json", import.meta.url)).then((response) => response.json());
    return this.read.then(
      ({ laws }) => laws[key],
      () => ({ source: "texts.json is missing: `make page` writes it.", equations: "" }),
    );
  }

  async show(key) {
    const law = this.catalogue.laws.find((own) => own.key === key);
    if (!law) return;
    if (key !== this.key) this.state.replaceChildren();
    this.key = key;
    const texts = await this.texts(key);
    if (this.key !== key) return;
    const select = element("select", { id: "law-select", onchange: () => this.show(select.value) });
    select.append(...this.catalogue.laws.map((own) => element("option", { value: own.key }, `${own.key}: ${own.name}`)));
    select.value = key;
    const figure = element("figure", { class: "curves" });
    this.live = element("div", { class: "live-state" }, element("h3", {}, "Its state in the run"), this.state);
    this.live.hidden = this.state.childElementCount === 0;
    this.host.replaceChildren(
      element("div", { class: "bar" }, element("label", { for: "law-select" }, "Law "), select),
      element(
        "div",
        { class: "sheet-columns" },
        element("div", {}, element("h3", {}, law.name), element("p", { class: "text" }, texts.source), ...equations(texts.equations), this.live),
        element("div", {}, figure),
      ),
      parameterTable(law),
    );
    this.state.replaceChildren();
    this.shown();
    await this.draw(law, figure);
  }

  async draw(law, host) {
    let answer;
    try {
      answer = await this.curves({ law: law.key, rtts: RTTS, windows: WINDOWS, losses: LOSSES, times: TIMES });
    } catch {
      return host.remove();
    }
    if (this.key !== law.key || !host.isConnected) return;
    const drawn = figures(answer, law.hue);
    if (drawn.length === 0) return host.remove();
    host.append(...drawn.map(({ spec, xs, title }) => {
      const own = element("div", {});
      queueMicrotask(() => new Still(own, spec, xs, `${law.key}-${title}`));
      return own;
    }));
  }

  /** What the law calls a value of its own: its state by name, or null. */
  named(quantity, value) {
    const law = this.catalogue.laws.find(({ key }) => key === this.key);
    return ["state", "mode"].includes(quantity) ? (law?.states[value] ?? null) : null;
  }

  /** State of the law's first flow now: [[name, value]]. */
  now(values) {
    if (this.live) this.live.hidden = values.length === 0;
    this.state.replaceChildren(...values.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  }
}

/** Curves that do not grow: of the response function, and of increase and decrease. */
class Still extends Panels {
  constructor(host, spec, xs, name) {
    super(host, { ...spec, xs }, name);
    this.zoom = new Zoom(spec.x.log);
    this.zoom.figures.push(this);
    this.controls();
    this.draw();
  }
}

function parameterTable(law) {
  if (law.parameters.length === 0) return element("p", { class: "text" }, "It has no parameters.");
  const row = ({ key, unit, min, max, default: value, doc }) =>
    element("tr", {}, element("th", { scope: "row" }, element("code", {}, key)), element("td", {}, String(value)), element("td", {}, `${min} to ${max}`), element("td", {}, unit), element("td", { class: "words" }, doc));
  const head = ["parameter", "default", "range", "unit", "meaning"].map((name) => element("th", { scope: "col" }, name));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Parameters of ${law.key}` }, element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...law.parameters.map(row))));
}

/** Increase, decrease and response function as figures, where the law has them. */
function figures({ law, increase, decrease, response, after_loss: after, loss_window: at, windows, losses, times }, hue) {
  // one curve, where the round trip does not matter
  const drawable = (curves) => {
    const there = curves.filter(({ values }) => values.some((value) => value !== null));
    return there.length > 1 && String(there[0].values) === String(there[1].values) ? [{ ...there[0], rtt_s: null }] : there;
  };
  const name = (rtt) => (rtt === null ? "any round trip" : `RTT ${1e3 * rtt} ms`);
  const drawn = (title, x, xs, y, curves, range) => ({
    title,
    xs,
    spec: {
      title: `${law}: ${title}`,
      few: curves.length,
      x,
      window: null,
      groups: curves.map(({ rtt_s: rtt }, nth) => ({ name: name(rtt), hue, dash: nth === 0 ? [] : [7, 4], mark: null })),
      panels: [{ y, range, rules: [], curves: curves.map(({ rtt_s: rtt, values }, nth) => ({ name: name(rtt), group: nth, values })) }],
    },
  });
  const window = { title: "window", unit: "packets", log: true };
  const found = [];
  const grows = drawable(increase);
  if (grows.length) found.push(drawn("increase", window, windows, { title: "the first round trip after a loss adds", unit: "packets" }, grows));
  const follows = drawable(after);
  if (follows.length) found.push(drawn("after-a-loss", { title: `time since a loss at ${at} packets`, unit: "s" }, times, { title: "window", unit: "packets" }, follows));
  const shrinks = drawable(decrease).map((curve) => ({ ...curve, values: curve.values.map((value, nth) => (value === null ? null : (100 * value) / windows[nth])) }));
  if (shrinks.length) found.push(drawn("decrease", window, windows, { title: "change at a loss", unit: "%" }, shrinks, [1.05 * Math.min(...shrinks.flatMap(({ values }) => values)), 0]));
  const responds = drawable(response);
  if (responds.length) found.push(drawn("response", { title: "loss rate", unit: "", log: true }, losses, { title: "mean window", unit: "packets", log: true }, responds));
  return found;
}
