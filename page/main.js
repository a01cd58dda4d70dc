// The live page: a scenario, its run, and what a reader does with both.

/* global element, root, themeButton, read */

import { Curves, PANELS } from "./figure.js";
import { Form } from "./form.js";
import { Sheet } from "./law.js";
import { AVERAGE, QUEUE, kept as keptLook, look } from "./looks.js";
import { LinkError, decode, encode } from "./link.js";
import { MEASURES } from "./measures.js";
import { Editor } from "./own.js";
import { Pipe } from "./pipe.js";
import { Engine } from "./runs.js";
import { Series } from "./series.js";
import { DEFAULT, differences, fromScenario, group, toScenario } from "./setting.js";
import { Share } from "./share.js";
import { Story, contents, find, settingOf } from "./story.js";

const $ = (id) => document.getElementById(id);

/** What a run in this page may take; the engine refuses more. */
const LIMITS = { duration_s: 600, segments: 3e7, bytes: 256e6, flows: 200 };
const ROWS = 600;

/** A new run is shown instead of the last one when so much of it is there, or after so long. */
const ENOUGH = 0.15;
const PATIENCE_MS = 80;

const OPENING = { ...DEFAULT, rate: 100e6, rtt: 0.06, duration: 60, groups: [group("reno"), group("cubic"), group("bbr3")] };

const embedded = new URLSearchParams(location.search).get("embed");
const still = matchMedia("(prefers-reduced-motion: reduce)");

const { engine: calls } = root.dataset;
const engine = new Engine(new URL("engine.wasm", import.meta.url), calls ? new URL(calls, import.meta.url) : null);
const pipe = new Pipe($("pipe"), $("pipe-says"));

const page = {
  catalogue: null,
  scenario: null,
  /** What the form sets; null if it cannot express the scenario. */
  setting: null,
  panels: PANELS.map(({ key }) => key),
  /** The newest run, the one that is shown, and the one kept for comparison. */
  newest: null,
  shown: null,
  kept: null,
  curves: null,
  /** Simulated seconds up to which curves are shown. */
  head: Infinity,
  playing: false,
  dirty: false,
  marks: {},
};

// ---- runs

let runs = 0;

class Run {
  constructor(scenario, setting) {
    this.scenario = scenario;
    this.setting = setting;
    this.begun = performance.now();
    this.number = runs++;
    this.t = 0;
    this.done = false;
    this.summary = null;
  }

  open(opened) {
    this.opened = opened;
    this.series = new Series();
    this.native = Boolean(engine.native);
    this.duration = Number(opened.duration_s.toPrecision(9));
    const key = ({ of, index, quantity }) => (of === "run" ? quantity : `${of} ${index} ${quantity}`);
    this.columns = opened.columns.map((column) => ({ ...column, key: key(column) }));
    const found = new Map();
    for (const flow of opened.flows) {
      if (!found.has(flow.group)) found.set(flow.group, { name: flow.group, law: flow.law, flows: [] });
      found.get(flow.group).flows.push(flow.index);
    }
    this.groups = [...found.values()];
    const own = opened.links.find((link) => link.bottleneck) ?? opened.links[0];
    this.link = own ?? null;
  }

  take({ t, done, values }) {
    this.t = t;
    this.ended = done;
    const columns = {};
    // a part may end before the next row
    values.forEach((column, nth) => (columns[this.columns[nth].key] = column));
    this.series.append(columns);
  }

  /** Groups as figures know them. */
  looks(comparing) {
    const seen = new Map();
    return this.groups.map(({ name, law }) => {
      const nth = seen.get(law) ?? 0;
      seen.set(law, nth + 1);
      const own = look(page.catalogue?.laws.find(({ key }) => key === law), nth);
      return comparing ? { ...keptLook(own), name: `${name}, kept` } : { ...own, name };
    });
  }
}

function start(scenario, { moving = false, play = false } = {}) {
  problem(null);
  const run = new Run(scenario, fromScenario(scenario));
  page.scenario = scenario;
  page.setting = run.setting;
  page.newest = run;
  run.play = play;
  root.dataset.state = "running";
  if (!moving) share();
  story.judge(null);
  engine.start(scenario, { limits: LIMITS, rows: ROWS }, {
    opened: (opened) => run.open(opened),
    series: (part) => {
      run.take(part);
      show(run);
    },
    done: (summary) => {
      run.summary = summary;
      run.done = true;
      run.took = performance.now() - run.begun;
      if (run !== page.newest) return;
      show(run, true);
      finished(run);
    },
    error: (error) => {
      if (run !== page.newest) return;
      root.dataset.state = "error";
      problem(error);
    },
  });
  $("stop").disabled = false;
}

/** Shows a new run once there is enough of it. */
function show(run, now = false) {
  if (page.shown === run) {
    page.dirty = true;
    return;
  }
  if (run.number < (page.shown?.number ?? 0)) return;
  const enough = run.t >= ENOUGH * run.duration || performance.now() - run.begun > PATIENCE_MS;
  if (!now && !enough && page.shown) return;
  page.shown = run;
  if (run.play && !still.matches) {
    page.head = 0;
    playing(true);
  } else {
    page.head = Infinity;
    playing(false);
  }
  arrange();
}

function finished(run) {
  root.dataset.state = "done";
  $("stop").disabled = true;
  const flows = run.opened.flows.length;
  $("status").textContent = `${read(run.duration)} s of ${flows} ${flows === 1 ? "flow" : "flows"}, computed in ${read(run.took / 1e3)} s${run.native ? " by tusker serve" : ""}.`;
  results();
  if (run.setting) story.judge(run);
}

function problem(error) {
  const box = $("problem");
  box.hidden = !error;
  editor?.says(null);
  if (!error) return box.replaceChildren();
  if (error.place?.startsWith("own")) editor.says(`${error.message}; expected: ${error.expected}`);
  const lines = [error.place ? `${error.place}: ${error.message}` : error.message];
  if (error.expected) lines.push(`Expected: ${error.expected}`);
  if (error.remedy) lines.push(error.remedy[0].toUpperCase() + error.remedy.slice(1));
  box.replaceChildren(...lines.map((line) => element("p", {}, line)));
  $("stop").disabled = true;
}

// ---- curves

/** Where a panel has its values from: the columns of a run by its groups' flows. */
function sources(run, panel) {
  if (panel === "jain") return [{ key: "jain", name: "all flows", group: null }];
  if (panel === "queue") {
    const own = [{ key: `link ${run.link?.index} queue`, name: "queue", group: "queue" }];
    const average = `link ${run.link?.index} avg`;
    if (run.columns.some(({ key }) => key === average)) own.push({ key: average, name: "average", group: "average" });
    return own;
  }
  return run.groups.flatMap(({ name, flows }, g) => flows.map((flow, nth) => ({ key: `flow ${flow} ${panel}`, name: flows.length > 1 ? `${name}.${nth}` : name, group: g })));
}

/** Levels of the queue: the buffer, and thresholds of its policy. */
function limits(link) {
  const { min_th: low, max_th: high } = link?.parameters ?? {};
  const found = link?.buffer_packets ? [["buffer", link.buffer_packets]] : [];
  // 0: three times the lower one
  if (low) found.push(["min_th", low], ["max_th", high || 3 * low]);
  return found;
}

/** Draws the figure anew if its curves are others; page.plan says where values come from. */
function arrange() {
  const { shown, kept } = page;
  const looks = shown.looks(false);
  const before = kept ? kept.looks(true) : [];
  const extra = [
    { ...QUEUE, name: "queue" },
    { ...AVERAGE, name: "average queue" },
    { hue: 7, dash: [], mark: null, name: "fairness" },
    { hue: 6, dash: [2, 3], mark: null, name: "queue, kept" },
    { hue: 7, dash: [2, 3], mark: null, name: "fairness, kept" },
  ];
  const groups = [...looks, ...before, ...extra];
  const place = (name) => groups.findIndex((own) => own.name === name);
  const wanted = page.panels.map((key) => PANELS.find((panel) => panel.key === key));
  const plan = wanted.map((panel) => {
    const of = (run, number) => sources(run, panel.key).map((source) => ({
      ...source,
      run,
      name: run === shown ? source.name : `${source.name}, kept`,
      group: Number.isInteger(source.group) ? source.group + number : place((source.group === "average" ? "average queue" : source.group === "queue" ? "queue" : "fairness") + (run === shown ? "" : ", kept")),
    })).filter(({ group: own }) => own >= 0);
    return [...of(shown, 0), ...(kept ? of(kept, looks.length) : [])];
  });
  const panels = wanted.map((panel, p) => ({
    y: { title: panel.title, unit: panel.unit },
    tall: panel.tall,
    link: panel.link,
    range: panel.range,
    rules: panel.key === "queue" ? limits(shown.link) : [],
    band: panel.key === "queue" ? shown.link?.target_packets : null,
    curves: plan[p].map(({ name, group: own }) => ({ name, group: own, values: new Float64Array(0) })),
  }));
  const used = new Set(panels.flatMap(({ curves }) => curves.map((curve) => curve.group)));
  const signature = JSON.stringify([groups.map(({ name, hue, dash }) => [name, hue, dash]), panels, shown.duration, shown.opened.measure]);
  page.plan = plan;
  if (signature !== page.signature) {
    page.signature = signature;
    page.curves?.end();
    // groups without curves have no key
    const order = [...used].sort((a, b) => a - b);
    for (const panel of panels) for (const curve of panel.curves) curve.group = order.indexOf(curve.group);
    page.curves = new Curves($("f-live"), order.map((own) => groups[own]), panels, shown.duration, shown.opened.measure);
  }
  const { bdp_packets: bdp, capacity_bps: rate } = shown.opened;
  const buffer = shown.link?.buffer_packets ?? bdp;
  pipe.of({ bdp, buffer, packetsPerSecond: rate / 8 / shown.opened.flows[0].packet_bytes }, looks.map(({ hue }) => hue));
  compared();
  page.dirty = true;
}

function draw(seconds) {
  const run = page.shown;
  if (!run?.opened || !page.curves) return;
  if (page.playing) {
    const speed = Number($("speed").value);
    page.head = speed === 0 ? Infinity : Math.min(page.head + seconds * speed, run.t);
    if (run.done && page.head >= run.duration) playing(false);
    page.dirty = true;
  }
  const head = Math.min(page.head, run.t);
  if (page.dirty) {
    page.dirty = false;
    const count = run.series.until(head);
    const xs = run.series.column("t", count);
    const values = page.plan.map((sources, p) => {
      const { scale } = PANELS.find(({ key }) => key === page.panels[p]);
      return sources.map(({ run: own, key }) => {
        const raw = own === run ? run.series.column(key, count) : own.series.at(key, xs);
        return Array.from(raw, (value) => (Number.isFinite(value) ? value * scale : null));
      });
    });
    page.curves.update(xs, values);
    $("scrub").value = Math.round((1000 * head) / run.duration);
    $("scrub").setAttribute("aria-valuetext", `${read(head)} s`);
    $("clock").textContent = `${head.toFixed(1)} of ${read(run.duration)} s`;
    states(run, count);
    if (count > 0 && page.marks.first === undefined) {
      page.marks.first = performance.now();
      root.dataset.ready = "yes";
    }
  }
  picture(run, head, still.matches ? 0 : seconds);
}

/** The moment as packets in the queue and on the link. */
function picture(run, head, seconds) {
  const at = run.series.until(head) - 1;
  if (at < 0 || !run.link) return;
  const value = (key) => {
    const found = run.series.column(key)[at];
    return Number.isFinite(found) ? found : 0;
  };
  const rates = run.groups.map(({ flows }) => flows.reduce((sum, flow) => sum + value(`flow ${flow} goodput`), 0));
  const all = rates.reduce((sum, one) => sum + one, 0);
  const link = (quantity) => value(`link ${run.link.index} ${quantity}`);
  const moves = page.playing || !run.done;
  pipe.draw({ queue: link("queue"), drops: link("dropped"), use: link("throughput") / run.link.rate_bps, shares: rates.map((one) => (all > 0 ? one / all : 0)) }, moves ? seconds : seconds / 3);
}

/** What the queue policy does now, and the law of the sheet. */
function states(run, count) {
  if (count === 0) return;
  const policy = run.columns.filter(({ of, index, state }) => of === "link" && index === run.link?.index && state);
  const target = run.link?.target_packets ? [`target of the average: ${run.link.target_packets.map(read).join(" to ")} packets`] : [];
  $("policy-says").textContent = [...policy.map(({ key, quantity }) => `${quantity} ${read(run.series.column(key)[count - 1])}`), ...target].join(", ");
  const flow = run.groups.find(({ law }) => law === sheet?.key)?.flows[0];
  if (!sheet) return;
  const own = run.columns.filter(({ of, index, quantity }) => of === "flow" && index === flow && quantity !== "goodput");
  const text = ({ key, quantity, unit }) => {
    const value = run.series.column(key)[count - 1];
    return sheet.named(quantity, value) ?? `${read(value)}${unit ? ` ${unit}` : ""}`;
  };
  sheet.now(own.map((column) => [column.quantity, text(column)]));
}

let last = performance.now();
let frames = 0;
function frame(now) {
  const seconds = Math.min(0.1, (now - last) / 1e3);
  last = now;
  frames += 1;
  draw(seconds);
  requestAnimationFrame(frame);
}

// ---- playback

function playing(on) {
  page.playing = on;
  $("play").textContent = on ? "Pause" : "Play";
  $("play").setAttribute("aria-pressed", String(on));
}

function transport() {
  $("play").addEventListener("click", () => {
    const run = page.shown;
    if (!run) return;
    if (!page.playing && (page.head >= run.duration || page.head === Infinity)) page.head = 0;
    playing(!page.playing);
  });
  $("scrub").addEventListener("input", () => {
    if (!page.shown) return;
    playing(false);
    page.head = (Number($("scrub").value) / 1000) * page.shown.duration;
    page.dirty = true;
  });
  $("stop").addEventListener("click", () => {
    engine.stop();
    root.dataset.state = "stopped";
    $("stop").disabled = true;
    $("status").textContent = page.shown ? `Stopped at ${read(page.shown.t)} s.` : "Stopped.";
  });
  $("keep").addEventListener("click", () => keep(page.kept ? null : page.shown));
}

// ---- comparison

function keep(run) {
  page.kept = run;
  $("keep").textContent = run ? "Forget what was kept" : "Keep to compare";
  if (page.shown) arrange();
  results();
  share();
}

/** In what the run differs from the kept one. */
function compared() {
  const { kept, shown } = page;
  const host = $("differences");
  if (!kept) return host.replaceChildren();
  const found = kept.setting && shown.setting ? differences(kept.setting, shown.setting) : [];
  if (kept === shown || found.length === 0) return host.replaceChildren(element("p", {}, "Kept (dotted). Change something to compare."));
  host.replaceChildren(element("p", {}, "Kept (dotted) and now:"), element("ul", {}, ...found.map(([what, before, after]) => element("li", {}, `${what}: ${before} → `, element("b", {}, after)))));
}

const percent = (value) => `${read(100 * value)} %`;
const ROWS_OF = [
  ["link busy", MEASURES.utilisation, percent],
  ["mean wait in the queue", MEASURES.queueing_delay, (value) => `${read(1e3 * value)} ms`],
  ["Jain's index", MEASURES.jain, read],
  ["lost", MEASURES.loss_rate, percent],
];

function results() {
  const { shown, kept } = page;
  if (!shown?.summary) return $("results").replaceChildren();
  const rates = (run) => new Map(run?.summary?.groups.map((own) => [own.name, own.goodput_bps?.mean]) ?? []);
  const [now, before] = [rates(shown), rates(kept)];
  const rows = [
    ...[...new Set([...now.keys(), ...before.keys()])].map((name) => [`goodput of ${name}`, before.get(name), now.get(name), (value) => `${read(value / 1e6)} Mbit/s`]),
    ...ROWS_OF.map(([name, measure, show]) => [name, kept?.summary ? measure(kept) : null, measure(shown), show]),
  ];
  const { from_s: from, to_s: to } = shown.summary.window;
  const cell = (value, show) => element("td", {}, Number.isFinite(value) ? show(value) : "–");
  const sign = (a, b) => (Number.isFinite(a) && Number.isFinite(b) && Math.abs(b - a) > 0.01 * Math.max(Math.abs(a), Math.abs(b)) ? (b > a ? "▲ more" : "▼ less") : "");
  const comparing = kept?.summary && kept !== shown;
  const head = ["", ...(comparing ? ["kept", "now", ""] : ["now"])].map((name) => (name ? element("th", { scope: "col" }, name) : element("td", {})));
  const body = rows.map(([name, a, b, show]) => element("tr", {}, element("th", { scope: "row" }, name), ...(comparing ? [cell(a, show), cell(b, show), element("td", {}, sign(a, b))] : [cell(b, show)])));
  const doubts = (shown.summary.doubts ?? []).slice(0, 3).map(({ about }) => element("p", { class: "note-small" }, `Note: ${about}`));
  $("results").replaceChildren(
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Results" }, element("table", {}, element("caption", {}, `From ${read(from)} s to ${read(to)} s`), element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body))),
    ...doubts,
  );
}

// ---- the parts of the page

let form = null;
let small = null;
let sheet = null;
let editor = null;

function set(setting, moving, from) {
  if (from !== form) form?.show(setting);
  if (from !== small && story.story) small?.show(setting);
  start(toScenario(setting), { moving });
}

const story = new Story($("story"), { open: (own) => open(own), close: () => leave() });

function open(own) {
  story.show(own);
  page.panels = own.panels;
  page.kept = null;
  $("keep").textContent = "Keep to compare";
  const setting = settingOf(own);
  small = page.catalogue ? new Form(story.controls, page.catalogue, { only: own.controls, changed: (next, moving) => set(next, moving, small), law: readLaw }) : null;
  small?.show(setting);
  form?.show(setting);
  start(toScenario(setting), { play: true });
  $("story").scrollIntoView({ block: "nearest" });
  $("story").querySelector("h2").focus({ preventScroll: true });
}

function leave() {
  story.show(null);
  small = null;
  page.panels = PANELS.map(({ key }) => key);
  if (page.shown) arrange();
  share();
  $("run").scrollIntoView();
}

function readLaw(key) {
  sheet.show(key);
  $("law").scrollIntoView();
  $("law").querySelector("select")?.focus({ preventScroll: true });
}

function content() {
  const view = {};
  if (story.story) view.story = story.story.id;
  if (page.kept) view.kept = page.kept.scenario;
  return { scenario: page.scenario, view };
}

let sharing = 0;
/** The address always holds what is shown, a little later. */
function share() {
  clearTimeout(sharing);
  page.fragment = undefined;
  sharing = setTimeout(async () => {
    const fragment = await encode(content());
    page.fragment = `#${fragment}`;
    history.replaceState(null, "", page.fragment);
    root.dataset.shared = "yes";
  }, 150);
  root.dataset.shared = "no";
}

/** Opens what a link holds. */
async function opened(fragment) {
  const { scenario, view } = await decode(fragment);
  const own = find(view.story);
  if (own) {
    story.show(own);
    page.panels = own.panels;
  }
  start(scenario, { play: !view.kept });
  if (view.kept) keepFrom(view.kept);
}

/** Runs the kept scenario of a link after the first one. */
function keepFrom(scenario) {
  const first = page.newest;
  const wait = setInterval(() => {
    if (page.shown !== first || !first.done) return;
    clearInterval(wait);
    const kept = new Run(scenario, fromScenario(scenario));
    engine.start(scenario, { limits: LIMITS, rows: ROWS }, {
      opened: (answer) => kept.open(answer),
      series: (part) => kept.take(part),
      done: (summary) => {
        Object.assign(kept, { summary, done: true });
        keep(kept);
      },
      error: problem,
    });
  }, 30);
}

async function parts() {
  page.catalogue = await engine.call("catalogue", {});
  const { catalogue } = page;
  catalogue.laws.push({ key: "own", name: "your own law", family: "Written in this page", parameters: [], equations: "", source: "", hue: 8, dash: 0 });
  form = new Form($("form"), catalogue, { changed: (setting, moving) => set(setting, moving, form), law: readLaw });
  showForm();
  if (story.story) {
    small = new Form(story.controls, catalogue, { only: story.story.controls, changed: (next, moving) => set(next, moving, small), law: readLaw });
    if (page.setting) small.show(page.setting);
  }
  sheet = new Sheet($("sheet"), { ...catalogue, laws: catalogue.laws.filter(({ key }) => key !== "own") }, (wanted) => engine.call("law_curves", wanted), () => (page.dirty = true));
  sheet.show(page.shown?.groups[1]?.law ?? page.setting?.groups[0]?.law ?? "cubic");
  if (page.shown?.opened) arrange();
  root.dataset.parts = "yes";
}

/** The form, or the text of a scenario that the form cannot express. */
async function showForm() {
  if (page.setting) return form.show(page.setting);
  const text = element("textarea", { rows: "18", spellcheck: "false", "aria-label": "Scenario as TOML" });
  const go = element("button", { type: "button", onclick: () => start(text.value) }, "Run it");
  $("form").replaceChildren(element("p", { class: "text" }, "This scenario has more than the form shows."), text, go);
  const { scenario } = page;
  text.value = typeof scenario === "string" ? scenario : await engine.call("convert", { scenario }).then(({ toml }) => toml, () => JSON.stringify(scenario, null, 2));
}

function own(law) {
  const setting = { ...(page.setting ?? OPENING), own: law, groups: [group("own"), group("cubic")] };
  form?.show(setting);
  start(toScenario(setting));
  $("run").scrollIntoView();
}

async function main() {
  themeButton(() => page.curves?.draw());
  if (embedded && PANELS.some(({ key }) => key === embedded)) {
    document.body.dataset.embed = embedded;
    page.panels = [embedded];
  }
  if (matchMedia("(max-width: 56rem)").matches) $("settings").open = false;
  transport();
  editor = new Editor($("editor"), own);
  new Share($("shares"), { content, convert: (scenario) => engine.call("convert", { scenario }), series: () => page.shown?.series ?? new Series() });
  $("contents").replaceChildren(...contents(open));
  addEventListener("hashchange", ({ newURL }) => {
    // the page may have written its address since
    const { hash } = new URL(newURL);
    if (hash === page.fragment || !/^#v\d/.test(hash)) return;
    opened(hash).then(() => form && showForm(), (error) => problem({ message: error.message }));
  });
  try {
    if (/^#v\d/.test(location.hash)) await opened(location.hash);
    else start(toScenario(OPENING), { play: true });
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    problem({ message: error.message });
    root.dataset.state = "error";
  }
  requestAnimationFrame(frame);
  await parts();
}

// for tests, and for anyone who opens the console
window.tuskerPage = {
  page,
  engine,
  frames: () => frames,
  /** Runs the solution of a story. */
  solve: (id) => set(settingOf(find(id), find(id).solution), false, null),
};

main().catch((error) => problem(error));
