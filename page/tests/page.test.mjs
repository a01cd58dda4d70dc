// The live page in a real browser: what a reader sees and does.
//
// `make browser` puts the page together (TUSKER_LIVE names its folder) and runs this. Times
// are printed, not judged.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { after, before, test } from "node:test";
import { browser } from "../../report/tests/open.mjs";
import { judge } from "../measures.js";
import { STORIES } from "../stories.js";
import { serve } from "./serve.mjs";

const folder = process.env.TUSKER_LIVE;
if (!folder) throw new Error("TUSKER_LIVE names no folder: run `make browser`");
const axe = readFileSync(createRequire(new URL("../../report/tests/", import.meta.url)).resolve("axe-core/axe.min.js"), "utf8");
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };
/** The machine may be busy: how long a state may take to come. */
const timeout = 60_000;

let chrome;
let server;
before(async () => {
  server = await serve(folder);
  chrome = await browser();
});
after(async () => {
  await chrome?.close();
  server?.end();
});

/** Opens the page, does something, and holds it to have gone without trouble. */
async function live(address, act, options = {}) {
  const context = await chrome.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(timeout);
  const trouble = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && trouble.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url) && !/^(blob|data):/.test(request.url())) trouble.push(`request: ${request.url()}`);
  });
  try {
    await page.goto(server.url + address);
    await act(page);
    assert.deepEqual(trouble, []);
  } finally {
    await context.close();
  }
}

const state = (page, wanted) => page.waitForSelector(`html[data-state=${wanted}]`);
/** The run is done and every part of the page is there. */
const ready = (page) => page.waitForSelector("html[data-state=done][data-parts=yes][data-ready=yes]");
const summary = (page) => page.evaluate(() => window.tuskerPage.page.shown.summary);
const scenario = (page) => page.evaluate(() => window.tuskerPage.page.scenario);
const coded = (text, version = "v1") => `#${version}.${deflateRawSync(Buffer.from(text)).toString("base64url")}`;
const link = (wanted, view = {}) => coded(JSON.stringify({ scenario: wanted, view }));
const flow = (cc, more = {}) => ({ name: cc, count: 1, cc, ...more });
const small = (more = {}) => ({ profile: "linux", duration: "20s", dumbbell: { rate: "10Mbit", delay: "20ms", queue: { policy: "droptail", limit: "1bdp" } }, flows: [flow("reno")], ...more });

/** How many pixels of the curves' canvases are drawn in a colour. */
const drawn = (page, panel, name) =>
  page.evaluate(([panel, name]) => {
    const colour = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const canvas = document.querySelectorAll("#f-live canvas")[panel];
    const { data } = canvas.getContext("2d", { willReadFrequently: true }).getImageData(0, 0, canvas.width, canvas.height);
    const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 127 && wanted.every((value, k) => Math.abs(data[i + k] - value) < 24)) count += 1;
    return count;
  }, [panel, name]);

/** A slider of the form moved by keys. */
async function press(page, control, key, times = 1) {
  await page.locator(`[data-control="${control}"] input[type=range]`).first().focus();
  for (let i = 0; i < times; i++) await page.keyboard.press(key);
}

/** The exact value of a control, written. */
async function write(page, within, control, text) {
  const input = page.locator(`${within} [data-control="${control}"] input[type=text]`);
  await input.fill(text);
  await input.press("Enter");
}

async function findings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}

test("a run plays when the page is opened", (t) =>
  live("", async (page) => {
    await page.waitForSelector("html[data-ready=yes]");
    t.diagnostic(`first curve after ${Math.round(await page.evaluate(() => window.tuskerPage.page.marks.first))} ms (asked: 2,000)`);
    await ready(page);
    const { groups } = await summary(page);
    assert.deepEqual(groups.map(({ name }) => name), ["reno", "cubic", "bbr3"]);
    // goodput, window, queue, round trip, fairness
    assert.equal(await page.locator("#f-live canvas").count(), 5);
    for (const panel of [0, 1, 3]) assert.ok((await drawn(page, panel, "--c1")) > 100, `Reno in panel ${panel}`);
    assert.ok((await drawn(page, 2, "--c6")) > 100, "the queue");
    assert.match(await page.locator("#pipe-says").textContent(), /packets wait/);
  }));

test("it draws as it plays, pauses and is scrubbed", (t) =>
  live(link(small({ duration: "60s" })), async (page) => {
    await ready(page);
    await page.locator("#speed").selectOption("20");
    await page.locator("#play").click();
    const head = () => page.evaluate(() => window.tuskerPage.page.head);
    await page.waitForFunction(() => window.tuskerPage.page.head > 5);
    const begun = await page.evaluate(() => [window.tuskerPage.frames(), performance.now()]);
    await page.waitForFunction((from) => window.tuskerPage.frames() >= from + 40, begun[0]);
    const ended = await page.evaluate(() => [window.tuskerPage.frames(), performance.now()]);
    t.diagnostic(`${Math.round((1e3 * (ended[0] - begun[0])) / (ended[1] - begun[1]))} frames per second while it draws (asked: 30)`);
    await page.evaluate(() => window.tuskerPage.page.playing && document.getElementById("play").click());
    const paused = await head();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(await head(), paused);
    await page.locator("#scrub").fill("500");
    assert.equal(await head(), 30);
    await page.waitForFunction(() => window.tuskerPage.page.curves.xs.at(-1) <= 30.0001);
    await page.waitForFunction(() => document.getElementById("clock").textContent === "30.0 of 60 s");
  }, { reducedMotion: "no-preference" }));

test("a slider changes the curves while it moves", (t) =>
  live(link(small({ duration: "30s", dumbbell: { rate: "100Mbit", delay: "20ms", queue: { policy: "droptail", limit: "1bdp" } }, flows: [flow("cubic", { count: 10 })] })), async (page) => {
    await ready(page);
    const before = await summary(page);
    await press(page, "rate", "ArrowLeft", 40);
    await page.waitForFunction((was) => window.tuskerPage.page.shown.scenario.dumbbell.rate !== was, "100Mbit");
    await ready(page);
    const after = await summary(page);
    assert.ok(after.links[0].rate_bps < before.links[0].rate_bps);
    assert.ok(after.total.goodput_bps.mean < before.total.goodput_bps.mean);
    // exactly this, by its number
    await write(page, "#form", "rate", "100 Mbit");
    await page.waitForFunction(() => window.tuskerPage.page.shown?.scenario.dumbbell.rate === "100Mbit" && window.tuskerPage.page.shown.done);
    assert.deepEqual(await summary(page), before);
    t.diagnostic(`10 flows, 100 Mbit/s, 30 s: ${Math.round(await page.evaluate(() => window.tuskerPage.page.shown.took))} ms after a change (asked: 500)`);
    await write(page, "#form", "rate", "90 sheep");
    assert.match(await page.locator("#form .wrong:visible").textContent(), /1 Mbit\/s to 10 Gbit\/s/);
  }));

test("a second setting is laid over the first, with what differs", () =>
  live(link(small()), async (page) => {
    await ready(page);
    await page.locator("#keep").click();
    await write(page, "#form", "buffer", "4 bdp");
    await page.waitForFunction(() => window.tuskerPage.page.shown.scenario.dumbbell.queue.limit === "4bdp" && window.tuskerPage.page.shown.done);
    assert.match(await page.locator("#differences").textContent(), /buffer: 1 BDP → 4 BDP/);
    assert.match(await page.locator("#results tr", { hasText: "mean wait" }).textContent(), /▲ more/);
    const kept = await page.locator("#f-live .keys button", { hasText: "reno, kept" }).count();
    assert.equal(kept, 1);
    // both are in a link
    await page.waitForSelector("html[data-shared=yes]");
    const fragment = await page.evaluate(() => location.hash);
    const { view } = JSON.parse(inflateRawSync(Buffer.from(fragment.slice(4), "base64url")));
    assert.equal(view.kept.dumbbell.queue.limit, "1bdp");
    await live(fragment, async (other) => {
      await other.waitForFunction(() => window.tuskerPage?.page.kept?.done);
      assert.match(await other.locator("#differences").textContent(), /buffer: 1 BDP → 4 BDP/);
    });
  }));

test("a link opens the same run again, and it goes along as TOML, command, numbers and frame", () =>
  live("", async (page) => {
    await ready(page);
    await page.locator('[data-control="policy"] select').selectOption("codel");
    await write(page, "#form", "loss", "0.01 %");
    await page.waitForFunction(() => window.tuskerPage.page.shown?.scenario.dumbbell.loss === 0.0001 && window.tuskerPage.page.shown.done);
    await page.waitForSelector("html[data-shared=yes]");
    const [fragment, first] = [await page.evaluate(() => location.hash), await summary(page)];
    assert.match(fragment, /^#v1\.[\w-]+$/);
    await live(fragment, async (other) => {
      await ready(other);
      assert.deepEqual(await summary(other), first);
      assert.equal(await other.locator('#form [data-control="policy"] select').inputValue(), "codel");
    });
    const text = () => page.locator("#shares textarea").inputValue();
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.waitForFunction(() => document.querySelector("#shares textarea").value.includes("#v1."));
    assert.ok((await text()).endsWith(fragment));
    await page.getByRole("button", { name: "Copy as TOML" }).click();
    await page.waitForFunction(() => document.querySelector("#shares textarea").value.includes("[dumbbell]"));
    assert.match(await text(), /policy = "codel"/);
    await page.getByRole("button", { name: "Copy as command" }).click();
    await page.waitForFunction(() => document.querySelector("#shares textarea").value.startsWith("tusker run"));
    await page.getByRole("button", { name: "Copy for another page" }).click();
    await page.waitForFunction(() => document.querySelector("#shares textarea").value.includes("<iframe"));
    assert.match(await text(), /\?embed=goodput#v1\./);
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save CSV" }).click();
    const csv = readFileSync(await (await waiting).path(), "utf8").split("\n");
    assert.match(csv[0], /^t,.*flow 0 cwnd/);
    assert.ok(csv.length > 500);
    const drawing = page.waitForEvent("download");
    await page.locator("#f-live").getByRole("button", { name: "SVG", exact: true }).click();
    assert.match(readFileSync(await (await drawing).path(), "utf8"), /^<svg/);
    const picture = page.waitForEvent("download");
    await page.locator("#f-live").getByRole("button", { name: "PNG", exact: true }).click();
    assert.equal(readFileSync(await (await picture).path()).subarray(1, 4).toString(), "PNG");
  }));

test("one figure stands in another page", () =>
  live(`?embed=cwnd${link(small())}`, async (page) => {
    await ready(page);
    assert.equal(await page.locator("#f-live canvas").count(), 1);
    assert.ok(!(await page.locator("#form").isVisible()));
    assert.ok(await page.locator("#play").isVisible());
  }, { viewport: { width: 720, height: 420 } }));

test("a run is stopped at once, and another follows", () =>
  live(link(small({ duration: "300s", dumbbell: { rate: "1Gbit", delay: "20ms", queue: { policy: "droptail", limit: "1bdp" } }, flows: [flow("cubic", { count: 4 })] })), async (page) => {
    await page.waitForFunction(() => window.tuskerPage?.page.shown);
    await page.locator("#stop").click();
    await state(page, "stopped");
    assert.match(await page.locator("#status").textContent(), /^Stopped at/);
    await page.waitForSelector("html[data-parts=yes]");
    await write(page, "#form", "rate", "5 Mbit");
    await ready(page);
    assert.equal((await summary(page)).links[0].rate_bps, 5e6);
  }));

test("a link that is broken, hostile or too large is refused in words", async () => {
  const hostile = [
    ["#v2.AAAA", /form v2; this page reads v1/],
    ["#v1.%%%", /damaged/],
    ["#v1.", /damaged/],
    [link(small()).slice(0, 60), /damaged/],
    [`#v1.${"A".repeat(100_000)}`, /longer than 64 KiB/],
    // a small link that unpacks to 50 MB
    [coded(`{"scenario":"${" ".repeat(5e7)}"}`), /more than 256 KiB|longer than 64 KiB/],
    [coded("null"), /no scenario/],
    [coded('{"scenario":[1]}'), /no scenario/],
    [link({ profile: "linux" }), /duration/],
    [link(small({ duration: "NaNs" })), /duration/],
    [link(small({ duration: NaN })), /duration/],
    [link(small({ duration: "1e300s" })), /duration/],
    [link(small({ flows: [flow("reno", { count: 1e9 })] })), /flows/],
    [link(small({ flows: [flow("reno", { count: -1 })] })), /count/],
    [link(small({ flows: [flow("<img src=x onerror=alert(1)>")] })), /cc|name/],
    [link(small({ duration: "500s", dumbbell: { rate: "10Gbit", delay: "50ms", queue: "1bdp" } })), /segments/],
    [link("duration = ["), /./],
  ];
  for (const [nth, [fragment, wanted]] of hostile.entries()) {
    await live(fragment, async (page) => {
      await state(page, "error");
      assert.match(await page.locator("#problem").textContent(), wanted, fragment.slice(0, 80));
      assert.equal(await page.locator("#problem img").count(), 0);
      if (nth % 6 !== 0) return;
      // the page goes on
      await page.waitForSelector("html[data-parts=yes]");
      await page.locator("button.story").first().click();
      await ready(page);
    });
  }
});

test("a scenario beyond the form is run and shown as text", () =>
  live(link(readFileSync(new URL("../../examples/parking-lot.toml", import.meta.url), "utf8").replace(/duration = "\d+s"/, 'duration = "11s"')), async (page) => {
    await ready(page);
    const text = page.locator("#form textarea");
    assert.match(await text.inputValue(), /parking-lot/);
    await text.fill((await text.inputValue()).replace('duration = "11s"', 'duration = "12s"'));
    await page.getByRole("button", { name: "Run it", exact: true }).click();
    await page.waitForFunction(() => window.tuskerPage.page.shown.duration === 12 && window.tuskerPage.page.shown.done);
  }));

test("two tabs run beside each other", () =>
  live(link(small({ seed: 2 })), (first) =>
    live(link(small({ seed: 3 })), async (second) => {
      await Promise.all([ready(first), ready(second)]);
      assert.deepEqual([(await scenario(first)).seed, (await scenario(second)).seed], [2, 3]);
      assert.deepEqual([(await summary(first)).seeds, (await summary(second)).seeds], [[2], [3]]);
    })));

test("a phone shows it without scrolling sideways", () =>
  live("", async (page) => {
    await ready(page);
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok((await wide()) <= 0, `${await wide()} px too wide`);
    assert.ok(!(await page.locator("#form").isVisible()));
    await page.locator("#settings > summary").click();
    assert.ok(await page.locator("#form").isVisible());
    assert.ok((await wide()) <= 0, `${await wide()} px too wide with its settings`);
  }, PHONE));

for (const [name, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["a phone", PHONE]]) {
  test(`axe finds nothing: ${name}`, () =>
    live(link(small({ flows: [flow("cubic"), flow("ghstcp")] })), async (page) => {
      await ready(page);
      for (const fold of await page.locator("details > summary").all()) if (await fold.isVisible()) await fold.click();
      assert.deepEqual(await findings(page), []);
      await page.locator("button.story").nth(2).click();
      await page.waitForSelector("#story[data-judged=yes]");
      assert.deepEqual(await findings(page), []);
    }, options));
}

test("dark follows the system, and the button", () =>
  live(link(small()), async (page) => {
    await ready(page);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(), "rgb(23, 27, 33)");
    await page.getByRole("button", { name: "Light colours" }).click();
    assert.equal(await ground(), "rgb(255, 255, 255)");
    assert.ok((await drawn(page, 1, "--c1")) > 100, "curves in light colours");
  }, { colorScheme: "dark" }));

test("everything is reached and done by keyboard", () =>
  live(link(small()), async (page) => {
    await ready(page);
    const reached = new Set();
    await page.locator("body").press("Tab");
    for (let i = 0; i < 120; i++) {
      reached.add(await page.evaluate(() => document.activeElement.closest("[data-control]")?.dataset.control || document.activeElement.id || document.activeElement.className));
      await page.keyboard.press("Tab");
    }
    for (const wanted of ["rate", "rtt", "buffer", "policy", "law.0", "add", "play", "scrub", "speed", "keep", "stack", "story", "law-select", "own-grow", "embed-figure"]) {
      assert.ok(reached.has(wanted), `${wanted} is not reached: ${[...reached].join(", ")}`);
    }
    // a list changed by keys keeps the focus, although the form is drawn anew
    await page.locator('#form [data-control="policy"] select').focus();
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => window.tuskerPage.page.scenario.dumbbell.queue.policy !== "droptail");
    assert.equal(await page.evaluate(() => document.activeElement.closest("[data-control]")?.dataset.control), "policy");
    await ready(page);
    await page.locator("#play").press("Space");
    assert.equal(await page.locator("#play").textContent(), "Pause");
    await page.locator("#f-live .stack").press("ArrowRight");
    assert.match(await page.locator("#f-live .read").first().textContent(), /time/);
  }));

test("flows are added, changed and removed", () =>
  live(link(small()), async (page) => {
    await ready(page);
    await page.getByRole("button", { name: "Add flows" }).click();
    await page.locator('[data-control="law.1"] select').selectOption("ghstcp");
    await page.locator('[data-control="law.1"] >> xpath=..').getByText("Parameters of ghstcp").click();
    await page.getByLabel("z", { exact: true }).fill("2");
    await page.getByLabel("z", { exact: true }).press("Tab");
    await page.waitForFunction(() => window.tuskerPage.page.scenario.flows[1]?.cc.z === 2);
    await ready(page);
    assert.deepEqual((await summary(page)).groups.map(({ name }) => name), ["reno", "ghstcp"]);
    await page.getByRole("button", { name: "Remove reno" }).click();
    await ready(page);
    assert.deepEqual((await summary(page)).groups.map(({ name }) => name), ["ghstcp"]);
  }));

test("cross traffic, a change of the path and hosts' delays are part of the run", () =>
  live(link(small({ duration: "30s" })), async (page) => {
    await ready(page);
    await write(page, "#form", "cross", "30 %");
    await page.locator('[data-control="change"] select').selectOption("rate");
    await write(page, "#form", "change.to.0", "2 Mbit");
    await page.waitForFunction(() => window.tuskerPage.page.shown?.done && window.tuskerPage.page.shown.scenario.dumbbell.rate[1]?.rate === "2Mbit");
    const { background, links } = await summary(page);
    assert.equal(background.length, 10);
    // 2 Mbit/s from 15 s on, which is what is measured
    assert.ok(links[0].carried_bps.mean < 2.01e6, `${links[0].carried_bps.mean}`);
  }));

test("the rate changes in steps, which are added and removed", () =>
  live(link(small({ duration: "40s" })), async (page) => {
    await ready(page);
    await page.locator('[data-control="change"] select').selectOption("rate");
    await write(page, "#form", "change.to.0", "2 Mbit");
    await write(page, "#form", "change.at.0", "10 s");
    await page.getByRole("button", { name: "Add a step" }).click();
    await write(page, "#form", "change.to.1", "4 Mbit");
    await write(page, "#form", "change.at.1", "20 s");
    const steps = [{ at: "0s", rate: "10Mbit" }, { at: "10s", rate: "2Mbit" }, { at: "20s", rate: "4Mbit" }];
    const rates = (wanted) => page.waitForFunction((text) => JSON.stringify(window.tuskerPage.page.shown.scenario.dumbbell.rate) === text && window.tuskerPage.page.shown.done, JSON.stringify(wanted));
    await rates(steps);
    // 4 Mbit/s from 20 s on, which is what is measured
    const { mean } = (await summary(page)).links[0].carried_bps;
    assert.ok(mean > 3.8e6 && mean < 4.01e6, `${mean}`);
    // a link opens them in the form
    await page.waitForSelector("html[data-shared=yes]");
    await live(await page.evaluate(() => location.hash), async (other) => {
      await ready(other);
      assert.equal(await other.locator('[data-control="change.at.1"] input[type=text]').inputValue(), "20 s");
    });
    await page.getByRole("button", { name: "Remove step 1" }).click();
    await rates([steps[0], steps[2]]);
  }));

test("the queue marks flows that can be marked", () =>
  live(link(small({ dumbbell: { rate: "10Mbit", delay: "20ms", queue: { policy: "codel", limit: "2bdp" } } })), async (page) => {
    await ready(page);
    const column = await page.evaluate(() => window.tuskerPage.page.shown.columns.find(({ quantity }) => quantity === "marked").key);
    const last = () => page.evaluate((key) => window.tuskerPage.page.shown.series.column(key).at(-1), column);
    assert.equal(await last(), 0);
    await page.locator('#form [data-control="ecn"] select').selectOption({ label: "mark" });
    await page.getByText("Later, farther away or ECN").click();
    await page.locator('[data-control="ecn.0"] select').selectOption({ label: "as in RFC 3168" });
    await page.waitForFunction(() => window.tuskerPage.page.shown.scenario.flows[0].tcp?.ecn === true && window.tuskerPage.page.shown.scenario.dumbbell.queue.ecn === true && window.tuskerPage.page.shown.done);
    assert.ok((await last()) > 0);
    assert.equal((await summary(page)).total.loss_rate.mean, 0);
    // another policy does what it does
    await page.locator('#form [data-control="policy"] select').selectOption("droptail");
    await page.waitForFunction(() => window.tuskerPage.page.shown.scenario.dumbbell.queue.policy === "droptail" && window.tuskerPage.page.shown.done);
  }));

test("gARED's target band is drawn, with its average and max_p", () =>
  live(link(small({ dumbbell: { rate: "10Mbit", delay: "20ms", queue: { policy: "gared", limit: "100pkt", min_th: 20, max_th: 80 } } })), async (page) => {
    await ready(page);
    // 20 + 0.4 x 60 to 20 + 0.6 x 60
    assert.match(await page.locator("#policy-says").textContent(), /avg [\d.]+, .*max_p [\d.]+.*target of the average: 44 to 56 packets/);
    // the band is shaded from end to end, and what is above it is not
    const shaded = await page.evaluate(() => {
      const { plots, spec } = window.tuskerPage.page.curves;
      const plot = plots[spec.panels.findIndex(({ y }) => y.title === "queue")];
      const { left, top, width, height } = plot.bbox;
      const { data } = plot.ctx.getImageData(left, top, width, height);
      return [46, 54, 65].map((level) => {
        const row = 4 * width * (Math.round(plot.valToPos(level, "y", true)) - top);
        // 0.28 of grey
        let count = 0;
        for (let i = row + 3; i < row + 4 * width; i += 4) if (data[i] >= 60) count += 1;
        return count / width;
      });
    });
    assert.ok(shaded[0] > 0.97 && shaded[1] > 0.97 && shaded[2] < 0.6, `${shaded}`);
  }));

test("a law is read: equations, curves, parameters, and what it does in the run", () =>
  live(link(small({ flows: [flow("cubic"), flow("ghstcp")] })), async (page) => {
    await ready(page);
    const laws = await page.evaluate(() => window.tuskerPage.page.catalogue.laws.map(({ key }) => key));
    assert.ok(laws.length > 30);
    await page.locator("#law-select").selectOption("ghstcp");
    await page.waitForSelector("#sheet figure canvas");
    assert.ok((await page.locator("#sheet math").count()) >= 5);
    assert.ok((await page.locator("#sheet math mfrac").count()) >= 2);
    await page.waitForSelector("#sheet .state div");
    assert.match(await page.locator("#sheet .state").textContent(), /cwnd.*packets/);
    assert.match(await page.locator("#sheet .state").textContent(), /z/);
    assert.match(await page.locator("#sheet table").textContent(), /w_high/);
    // CUBIC grows by the time since its last loss
    await page.locator("#law-select").selectOption("cubic");
    await page.waitForSelector("#sheet figure canvas[aria-label*='of cubic: after-a-loss']");
    for (const law of laws.filter((key) => key !== "own")) {
      await page.locator("#law-select").selectOption(law);
      await page.waitForFunction((key) => document.querySelector("#sheet select").value === key && document.querySelector("#sheet .equation"), law);
    }
  }));

test("a law shows its state in the run", () =>
  live(link(small({ flows: ["ghstcp", "hcc", "bbr1", "bbr3", "c4"].map((law) => flow(law)) })), async (page) => {
    await ready(page);
    for (const [law, ...shown] of [
      ["ghstcp", /mode(HSTCP|Reno)/, /r-?[\d.]/, /z[\d.]/],
      ["hcc", /mode(startup|delay|loss)/, /delay_reference[\d.]/, /loss_reference[\d.]/],
      ["bbr1", /state(startup|drain|probe )/, /btlbw[\d.]/, /rtprop[\d.]/],
      ["bbr3", /state(startup|drain|probe )/, /bw[\d.]/, /min_rtt[\d.]/],
      ["c4", /state(initial|recovery|cruising|probing|pushing)/],
    ]) {
      await page.locator("#law-select").selectOption(law);
      await page.waitForFunction((key) => document.querySelector("#sheet select")?.value === key && document.querySelector("#sheet .state div"), law);
      const text = await page.locator("#sheet .state").textContent();
      for (const part of shown) assert.match(text, part, law);
    }
  }));

test("a law is written and runs beside CUBIC", () =>
  live(link(small()), async (page) => {
    await ready(page);
    await page.locator("#own-grow").fill("0.31");
    await page.locator("#own-shrink").fill("0.875 * w");
    await page.getByRole("button", { name: "Run it beside CUBIC" }).click();
    await ready(page);
    assert.deepEqual((await summary(page)).groups.map(({ name }) => name), ["own", "cubic"]);
    // the link holds it
    await page.waitForSelector("html[data-shared=yes]");
    await live(await page.evaluate(() => location.hash), async (other) => {
      await ready(other);
      assert.deepEqual((await scenario(other)).own, { grow: "0.31", shrink: "0.875 * w" });
      assert.deepEqual(await summary(other), await summary(page));
    });
    // and it is changed where the curves are
    await page.locator('[data-control="own.grow"] input').fill("3");
    await page.waitForFunction(() => window.tuskerPage.page.shown.scenario.own.grow === "3" && window.tuskerPage.page.shown.done);
    await page.locator("#own-grow").fill("2 * * w");
    await page.locator("#own-grow").press("Enter");
    await state(page, "error");
    assert.match(await page.locator("#editor .wrong").textContent(), /\*/);
  }));

test("on paper there are the curves and the numbers, not the controls", () =>
  live(link(small()), async (page) => {
    await ready(page);
    await page.emulateMedia({ media: "print" });
    for (const hidden of ["#settings", ".transport", "#own", "#share", ".menu"]) assert.ok(!(await page.locator(hidden).isVisible()), hidden);
    assert.ok(await page.locator("#f-live canvas").first().isVisible());
    assert.ok(await page.locator("#results table").isVisible());
    assert.ok((await page.pdf({ format: "A4" })).length > 10_000);
  }));

test("what stories say is true, and their questions can be answered", () =>
  live("", async (page) => {
    await ready(page);
    assert.equal(STORIES.length, 10);
    const judged = async () => {
      await page.waitForSelector("html[data-state=done]");
      await page.waitForSelector("#story[data-judged=yes]");
      return page.evaluate(() => {
        const { summary, setting } = window.tuskerPage.page.shown;
        return { summary, setting };
      });
    };
    for (const [nth, story] of STORIES.entries()) {
      await page.locator("button.story").nth(nth).click();
      const run = await judged();
      for (const { condition, value, holds } of judge(story.claims, run)) assert.ok(holds, `${story.id}: ${condition.of} is ${value}`);
      assert.equal(await page.locator("#story").getAttribute("data-answered"), "no", `${story.id} is answered as it is opened`);
      for (const control of story.controls) assert.ok((await page.locator(`#story [data-control="${control}"]`).count()) > 0, `${story.id}: ${control}`);
      // each answer by the story's own controls
      await page.evaluate((id) => window.tuskerPage.solve(id), story.id);
      await judged();
      const verdict = await page.locator("#story .verdict").textContent();
      assert.equal(await page.locator("#story").getAttribute("data-answered"), "yes", `${story.id}: ${verdict}`);
      // gARED shows its average queue and its probabilities
      if (story.id === "red") assert.match(await page.locator("#policy-says").textContent(), /avg [\d.]+, max_p [\d.]+/);
    }
  }));

test("a story is answered with its slider", () =>
  live("", async (page) => {
    await ready(page);
    await page.locator("button.story").nth(1).click();
    await page.waitForSelector("#story[data-answered=no][data-judged=yes]");
    await write(page, "#story", "buffer", "1 bdp");
    await page.waitForSelector("#story[data-answered=yes]");
    assert.equal(await page.locator("#story .status").textContent(), "That answers it.");
    assert.equal(await page.locator('#form [data-control="buffer"] input[type=text]').inputValue(), "1 BDP");
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.waitForSelector("#story[data-judged=yes]");
    assert.equal(await page.locator("#story h2").textContent(), STORIES[2].title);
  }));
