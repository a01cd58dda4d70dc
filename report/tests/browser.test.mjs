// The report in a real browser: what a reader sees and does.
//
// `make browser` makes the pages (TUSKER_PAGES names their folder) and runs this.
// Nothing here depends on how fast the machine is, but for the opening of the
// large page if TUSKER_TIMED is set (`make browser-timed`).

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { area, browser, open, pixels, shown } from "./open.mjs";

const folder = process.env.TUSKER_PAGES;
if (!folder) throw new Error("TUSKER_PAGES names no folder: run `make browser`");
const file = (name) => join(folder, name);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const BLUE = "#0072b2";
const RED = "#d55e00";
const PURPLE = "#7a2a8c";
const GREY = "#7b8694";

let chrome;
before(async () => (chrome = await browser()));
after(() => chrome?.close());

/** Opens a page, does something, and holds it to have gone without trouble. */
async function on(name, act, options) {
  const opened = await open(chrome, file(name), options);
  try {
    await act(opened.page, opened);
    assert.deepEqual(opened.trouble, []);
  } finally {
    await opened.page.context().close();
  }
}

test("curves are drawn in the colours of their groups", () =>
  on("run.html", async (page) => {
    // Reno and HSTCP, five flows each: a mean and a band; the queue in grey below
    for (const panel of [0, 1]) {
      for (const colour of [RED, PURPLE]) assert.ok((await pixels(page, "time", panel, colour)) > 500, `${colour} in panel ${panel}`);
    }
    const panels = await page.locator("#f-time canvas").count();
    assert.ok((await pixels(page, "time", panels - 1, GREY)) > 500, "the queue");
    assert.ok((await pixels(page, "rtt-cdf", 0, RED)) > 300);
    assert.ok((await pixels(page, "queue-cdf", 0, GREY)) > 300);
  }));

test("a comparison opens with all experiments on one scale, named at the ends", () =>
  on("compare.html", async (page) => {
    const first = await page.locator("main figure").first().getAttribute("id");
    assert.equal(first, "f-overlay");
    // reno, hstcp and ghstcp have the colours that they have everywhere
    for (const colour of [RED, PURPLE, BLUE]) assert.ok((await pixels(page, "overlay", 1, colour)) > 200, colour);
    // the names stand right of the curves, none on another
    const names = await page.evaluate(() => {
      const { plots, spec } = window.tuskerReport.figures[0];
      return plots.map((plot, n) => window.tuskerReport.endsOf(plot, spec.panels[n], window.tuskerReport.figures[0].content(spec.panels[n]).series).names.map(({ group, y }) => [spec.groups[group].name, y]));
    });
    for (const panel of names) {
      assert.deepEqual(panel.map(([name]) => name).sort(), ["ghstcp", "hstcp", "reno"]);
      for (let i = 1; i < panel.length; i++) assert.ok(panel[i][1] - panel[i - 1][1] >= 12.9, JSON.stringify(panel));
    }
    assert.match(await page.title(), /^reno, hstcp and ghstcp over 100 Mbit\/s, 50 ms$/);
  }));

test("a comparison of replicates has bands", () =>
  on("many.html", async (page) => {
    assert.match(await page.locator("#f-overlay figcaption").textContent(), /3 at most, and bands reach from the smallest to the largest/);
  }));

test("the name of a row stays in sight while its table is scrolled", () =>
  on("many.html", async (page) => {
    const [name, value] = await page.evaluate(() => {
      const box = [...document.querySelectorAll(".scroll")].find((own) => own.ariaLabel === "Flow groups");
      const [first, second] = box.querySelectorAll("tbody tr:first-child > *");
      const lefts = () => [first, second].map((cell) => cell.getBoundingClientRect().left);
      const before = lefts();
      box.scrollLeft = 100;
      return lefts().map((left, nth) => Math.round(before[nth] - left));
    });
    assert.deepEqual([name, value], [0, 100]);
  }, { viewport: { width: 390, height: 844 } }));

test("names at the ends of curves are whole", () =>
  on("many.html", async (page) => {
    const names = await page.evaluate(() => window.tuskerReport.figures.find((figure) => figure.name === "rtt-cdf").spec.groups.map((group) => group.name));
    assert.equal(names.length, 17);
    // what is longer is cut off at the end of a curve
    for (const name of names) assert.ok(name.length <= 22, name);
  }));

test("letters of figures are those that the program measures with, in saved files too", () =>
  on("many.html", async (page) => {
    assert.ok(await page.evaluate(() => [...document.fonts].some((face) => face.family === "Roboto" && face.status === "loaded")));
    for (const figure of ["rtt-cdf", "overlay"]) {
      const waiting = page.waitForEvent("download");
      await page.locator(`#f-${figure}`).getByRole("button", { name: "SVG", exact: true }).click();
      const text = readFileSync(await (await waiting).path()).toString();
      assert.match(text, /@font-face\s*\{\s*font-family: Roboto;\s*src: url\("data:font/);
      const sticksOut = await page.evaluate((svg) => {
        const host = document.body.appendChild(document.createElement("div"));
        host.innerHTML = svg;
        const { right } = host.firstChild.getBoundingClientRect();
        return [...host.querySelectorAll("text")].filter((own) => own.getBoundingClientRect().right > right).map((own) => own.textContent);
      }, text);
      assert.deepEqual(sticksOut, []);
    }
  }));

test("all flows are drawn on demand", () =>
  on("run.html", async (page) => {
    const before = await page.evaluate(() => window.tuskerReport.figures[0].plots[1].series.length);
    await page.getByRole("button", { name: "All flows" }).first().click();
    const series = await page.evaluate(() => window.tuskerReport.figures[0].plots[1].series.length);
    assert.equal(series, 11, `ten flows and the axis; ${before} before`);
  }));

test("a drag zooms all time axes together, a double click shows all again", () =>
  on("compare.html", async (page) => {
    // what each flow did is folded
    for (const law of ["hstcp", "reno"]) await page.getByText(`${law} over time, flow by flow`, { exact: true }).click();
    await page.waitForFunction(() => window.tuskerReport.figures.filter((figure) => figure.spec.time && figure.plots.length > 0).length === 3);
    const whole = await shown(page);
    const box = await area(page, "time-hstcp", 1);
    await page.mouse.move(box.x + box.width * 0.25, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 40, { steps: 5 });
    await page.mouse.up();
    const [from, to] = whole[0].ranges[0];
    const length = to - from;
    for (const { time, ranges } of await shown(page)) {
      for (const [min, max] of ranges) {
        if (!time) continue;
        assert.ok(Math.abs(min - (from + 0.25 * length)) < 0.01 * length, `from ${min}`);
        assert.ok(Math.abs(max - (from + 0.5 * length)) < 0.01 * length, `to ${max}`);
      }
    }
    const others = (all) => all.filter((figure) => !figure.time);
    assert.deepEqual(others(await shown(page)), others(whole), "distributions stay");
    assert.ok(await page.getByRole("button", { name: "Show all of it" }).first().isVisible());
    const again = await area(page, "time-reno", 0);
    await page.mouse.dblclick(again.x + 200, again.y + 40);
    assert.deepEqual(await shown(page), whole);
  }));

test("a click isolates a flow in all panels, another brings the rest back", () =>
  on("run.html", async (page) => {
    await page.getByRole("button", { name: "All flows" }).first().click();
    const at = await page.evaluate(() => {
      const figure = window.tuskerReport.figures[0];
      const curve = figure.spec.panels[1].curves.find((c) => c.name === "S2.3");
      const idx = Math.floor(0.8 * figure.xs.length);
      const plot = figure.plots[1];
      return [plot.valToPos(figure.xs[idx], "x"), plot.valToPos(curve.values[idx], "y")];
    });
    const box = await area(page, "time", 1);
    await page.mouse.click(box.x + at[0], box.y + at[1]);
    const flow = await page.evaluate(() => window.tuskerReport.figures[0].flow);
    assert.match(flow, /^S2\./);
    assert.ok(await page.getByRole("button", { name: `only ${flow}` }).isVisible());
    for (const panel of [0, 1, 2]) {
      assert.ok((await pixels(page, "time", panel, PURPLE)) > 100, "it is drawn");
      assert.equal(await pixels(page, "time", panel, RED), 0, "the other group is not");
    }
    await page.mouse.click(box.x + at[0], box.y + at[1] + 1, { delay: 20 });
    assert.equal(await page.evaluate(() => window.tuskerReport.figures[0].flow), null);
    assert.ok((await pixels(page, "time", 1, RED)) > 100);
  }));

test("a click within a band singles out a flow as well", () =>
  on("run.html", async (page) => {
    const box = await area(page, "time", 0);
    const y = await page.evaluate(() => {
      const figure = window.tuskerReport.figures[0];
      const idx = Math.floor(figure.xs.length / 2);
      return figure.plots[0].valToPos(figure.spec.panels[0].curves.at(-1).values[idx], "y");
    });
    await page.mouse.click(box.x + box.width / 2, box.y + y);
    assert.match(String(await page.evaluate(() => window.tuskerReport.figures[0].flow)), /^S2\./);
  }));

test("hovering reads the values of all panels at once", () =>
  on("run.html", async (page) => {
    const box = await area(page, "time", 0);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const reads = await page.locator("#f-time .read").allTextContents();
    for (const text of reads) assert.match(text, /^time [\d.,]+ s.* [\d.,]+/, text);
    const value = await page.evaluate(() => {
      const figure = window.tuskerReport.figures[0];
      const panel = figure.spec.panels.at(-1);
      return [panel.curves[0].values[figure.plots.at(-1).cursor.idx], panel.read.textContent];
    });
    assert.ok(value[1].includes(`queue ${Math.abs(value[0]) >= 1000 ? Math.round(value[0]).toLocaleString("en") : Number(value[0].toPrecision(4))}`), String(value));
  }));

test("a power is a straight line over logarithmic axes", () =>
  on("kinds.html", async (page) => {
    const at = () =>
      page.evaluate(() => {
        const figure = window.tuskerReport.figures.find((one) => one.name === "power");
        const plot = figure.plots[0];
        // y = 1 / x^2
        const value = figure.spec.panels[0].curves[0].values[100];
        return { x: plot.valToPos(1e-2, "x") / plot.over.clientWidth, y: plot.valToPos(1e4, "y") / plot.over.clientHeight, value, ticks: plot.axes.map((axis) => axis._values), range: [plot.scales.x.min, plot.scales.x.max] };
      });
    const whole = await at();
    assert.ok(Math.abs(whole.x - 0.5) < 0.01 && Math.abs(whole.y - 0.5) < 0.01, JSON.stringify(whole));
    assert.ok(Math.abs(whole.value / 1e4 - 1) < 1e-3, String(whole.value));
    assert.deepEqual(whole.ticks[0], ["0.0001", "0.001", "0.01", "0.1", "1"]);
    assert.ok((await pixels(page, "power", 0, BLUE)) > 300);
    // half the decades around the middle
    await page.locator("#f-power .stack").focus();
    await page.keyboard.press("+");
    const [min, max] = (await at()).range.map(Math.log10);
    assert.ok(Math.abs(min + 3) < 0.05 && Math.abs(max + 1) < 0.05, `10^${min} to 10^${max}`);
    assert.ok((await pixels(page, "power", 0, BLUE)) > 300);
  }));

test("points say what they are", () =>
  on("kinds.html", async (page) => {
    await page.locator("#f-fairness .points > svg .mark").nth(5).locator("circle").first().hover();
    assert.equal(await page.locator(".tip").textContent(), "Case 5: utilisation 94.5 ± 0.4 %, Jain's index 0.675 ± 0.02");
    assert.equal(await page.locator("#f-fairness .points > svg .mark > :is(circle, .m)").count(), 24);
  }));

test("the keyboard reads, zooms and shows all again", () =>
  on("run.html", async (page) => {
    const whole = await shown(page);
    await page.locator("#f-time .stack").focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    assert.match(await page.locator("#f-time .read").first().textContent(), /^time/);
    await page.keyboard.press("+");
    const [min, max] = (await shown(page))[0].ranges[0];
    const [from, to] = whole[0].ranges[0];
    assert.ok(Math.abs((max - min) / (to - from) - 0.5) < 0.01, `${min} to ${max}`);
    await page.keyboard.press("Escape");
    assert.deepEqual(await shown(page), whole);
    await page.getByLabel("Single out a flow").first().selectOption("S1.2");
    assert.equal(await page.evaluate(() => window.tuskerReport.figures[0].flow), "S1.2");
  }));

for (const name of ["run.html", "compare.html", "kinds.html"]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`axe finds nothing serious: ${name}, ${colorScheme}`, () =>
      on(name, async (page) => {
        await page.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
        await page.addScriptTag({ content: axe });
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
        const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`), []);
      // the page runs no script but its own, and axe is none of them
      }, { colorScheme, bypassCSP: true }));
  }
}

test("the page runs no script but its own", async () => {
  const { page } = await open(chrome, file("run.html"));
  try {
    await assert.rejects(page.addScriptTag({ content: "window.stranger = true" }), /Content Security Policy/);
    assert.equal(await page.evaluate(() => window.stranger), undefined);
  } finally {
    await page.context().close();
  }
});

test("dark has colours of its own, and the button changes them", () =>
  on("run.html", async (page) => {
    assert.equal(await pixels(page, "time", 0, RED), 0);
    assert.ok((await pixels(page, "time", 0, "#ff9248")) > 500);
    await page.getByRole("button", { name: "Light colours" }).click();
    assert.ok((await pixels(page, "time", 0, RED)) > 500);
  }, { colorScheme: "dark" }));

for (const name of ["run.html", "compare.html", "kinds.html"]) {
  test(`nothing sticks out of a phone: ${name}`, () =>
    on(name, async (page) => {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 390, `${wide} pixels wide`);
      if (name === "run.html") assert.ok((await pixels(page, "time", 1, RED)) > 100, "curves are drawn");
    }, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }));
}

test("on paper it is light, without buttons, and within the page", () =>
  on("run.html", async (page) => {
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.waitForTimeout(100);
    assert.ok(!(await page.locator(".menu").isVisible()));
    assert.ok(!(await page.locator(".bar").first().isVisible()));
    assert.ok((await pixels(page, "time", 0, RED)) > 300, "curves in the colours of light");
    const widths = await page.locator("canvas").evaluateAll((all) => all.map((canvas) => canvas.clientWidth));
    assert.ok(widths.every((width) => width <= 700), String(widths));
    assert.ok((await page.pdf({ format: "A4" })).length > 20_000);
  }, { colorScheme: "dark" }));

// 210 by 297 mm without the margins of @page, at 96 pixels per inch
const SHEET = { width: 703, height: 1016 };
for (const name of ["run", "sweep", "plans", "reproduction", "hcc"])
  test(`on paper nothing is cut, no control is left and figures are whole: ${name}`, () =>
    on(`${name}.html`, async (page) => {
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      await page.waitForTimeout(100);
      const found = await page.evaluate(({ width, height }) => {
        const seen = (selector) => [...document.querySelectorAll(selector)].filter((own) => own.getClientRects().length);
        const what = (all) => all.map((own) => `${own.tagName} ${own.className} ${own.textContent.slice(0, 60)}`);
        return {
          ground: getComputedStyle(document.body).backgroundColor,
          // keys of curves are buttons, too
          controls: what(seen("button, select, summary").filter((own) => !own.closest(".keys") && getComputedStyle(own).display !== "block")),
          cut: what(seen("main *").filter((own) => !own.closest("svg, .panel") && own.getBoundingClientRect().right > width + 1)),
          split: what(seen("figure").filter((own) => getComputedStyle(own).breakInside !== "avoid" || own.offsetHeight > height)),
          empty: what(seen("main > section").filter((own) => own.children.length < 2 || [...own.children].slice(1).every((part) => !part.getClientRects().length))),
        };
      }, SHEET);
      assert.deepEqual(found, { ground: "rgb(255, 255, 255)", controls: [], cut: [], split: [], empty: [] });
    }, { colorScheme: "dark", viewport: SHEET }));

test("on paper claims are unfolded, and on the screen as before", () =>
  on("reproduction.html", async (page) => {
    const open = () => page.evaluate(() => [...document.querySelectorAll("section > details, .tile details")].map((fold) => fold.open));
    await page.locator("section > details > summary").first().click();
    const before = await open();
    assert.ok(before.includes(true) && before.includes(false));
    await page.emulateMedia({ media: "print" });
    await page.waitForTimeout(100);
    assert.ok(await page.getByRole("columnheader", { name: "what it says" }).first().isVisible());
    await page.emulateMedia({ media: "screen" });
    await page.waitForTimeout(100);
    assert.deepEqual(await open(), before);
  }));

test("what is shown can be saved as SVG and PNG", () =>
  on("run.html", async (page) => {
    for (const [figure, name] of [["time", "SVG"], ["time", "PNG"], ["rtt-cdf", "SVG"], ["rtt-cdf", "PNG"]]) {
      const waiting = page.waitForEvent("download");
      await page.locator(`#f-${figure}`).getByRole("button", { name, exact: true }).click();
      const saved = await waiting;
      assert.equal(saved.suggestedFilename(), `${figure}.${name.toLowerCase()}`);
      const content = readFileSync(await saved.path());
      if (name === "PNG") {
        assert.equal(content.toString("latin1", 1, 4), "PNG");
        assert.ok(content.length > 10_000);
      } else {
        const text = content.toString();
        assert.ok(text.startsWith("<svg") && !text.includes("var(--"), text.slice(0, 300));
        assert.ok(text.includes(RED));
        const parsed = await page.evaluate((t) => new DOMParser().parseFromString(t, "image/svg+xml").querySelector("parsererror")?.textContent ?? null, text);
        assert.equal(parsed, null);
      }
    }
  }));

test("names cannot become markup", () =>
  on("kinds.html", async (page) => {
    assert.match(await page.title(), /^<\/script>/);
    assert.equal(await page.locator("img").count(), 0);
  }));

test("a hundred flows of 50,000 points open, one of five each", () =>
  on("large.html", async (page, { took }) => {
    const points = await page.evaluate(() => window.tuskerReport.figures[0].spec.panels.map((panel) => panel.curves.reduce((sum, curve) => sum + curve.values.length, 0)));
    assert.deepEqual(points, [1_000_000, 1_000_000]);
    for (const colour of [BLUE, RED]) assert.ok((await pixels(page, "time", 1, colour)) > 500);
    const size = statSync(file("large.html")).size / 1e6;
    console.log(`100 flows x 50,000 points in two panels: ${size.toFixed(1)} MB, open and drawn after ${took} ms`);
    assert.ok(size < 5, `${size} MB`);
    if (process.env.TUSKER_TIMED) assert.ok(took < 2_000, `${took} ms`);
  }));

for (const name of ["rows-many", "rows-few"])
  test(`a sweep of 100,000 runs opens: ${name}`, () =>
    on(`${name}.html`, async (page, { took }) => {
      assert.ok((await page.locator("#f-goodput-bps-dumbbell-queue svg path").count()) > 0);
      assert.ok((await page.locator("#f-throughput-delay svg path").count()) > 0);
      const size = statSync(file(`${name}.html`)).size / 1e6;
      console.log(`${name}: ${size.toFixed(1)} MB, open and drawn after ${took} ms`);
      assert.ok(size < 5, `${size} MB`);
      if (process.env.TUSKER_TIMED) assert.ok(took < 2_000, `${took} ms`);
    }));
