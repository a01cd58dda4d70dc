// Every page at a desk, on a phone, in the dark and on paper: nothing sticks out, no
// letters are cut off or lie on others, keys are there and keep their colours, and axe
// finds nothing serious.
//
// Pictures of all of them stay in target/pages.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, open } from "./open.mjs";

const folder = process.env.TUSKER_PAGES;
if (!folder) throw new Error("TUSKER_PAGES names no folder: run `make browser`");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = join(import.meta.dirname, "../../target/pages");
mkdirSync(pictures, { recursive: true });

let chrome;
before(async () => (chrome = await browser()));
after(() => chrome?.close());

const PAGES = ["run", "compare", "many", "sweep", "reproduction", "claim", "readings", "testbed"];
const SCREENS = {
  desk: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  // A4 without its margins, in CSS pixels
  paper: { viewport: { width: 718, height: 1000 } },
};

/** What lies outside its drawing, and whether the page is wider than the screen. */
const cutOff = () => {
  const outside = [];
  for (const text of document.querySelectorAll("svg text")) {
    const [own, whole] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
    if (own.width === 0) continue;
    // letters of other fonts are a little wider
    if (own.left < whole.left - 3 || own.right > whole.right + 3 || own.bottom > whole.bottom + 3) outside.push(text.textContent);
  }
  return { wide: document.documentElement.scrollWidth - innerWidth, outside };
};

/** Letters of a drawing that lie on each other. */
const onEachOther = () => {
  const found = [];
  for (const drawing of document.querySelectorAll("svg")) {
    const texts = [...drawing.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
    texts.forEach(([words, a], nth) => {
      for (const [others, b] of texts.slice(0, nth)) {
        const [x, y] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
        // a line of letters has air above and below
        if (x > 1 && y > 0.3 * Math.min(a.height, b.height)) found.push(`${words} | ${others}`);
      }
    });
  }
  return found;
};

/** Numbers of axes that are cut off at the right, and curves without a key. */
const curves = () => {
  const cut = [];
  const keyless = [];
  const ctx = document.createElement("canvas").getContext("2d");
  for (const figure of window.tuskerReport.figures.filter((own) => own.stack)) {
    const keys = [...figure.keys.querySelectorAll("button")].map((key) => key.textContent.replace(/ × \d+$/, ""));
    keyless.push(...figure.spec.groups.map((group) => group.name).filter((name) => !keys.includes(name)));
    for (const plot of figure.plots) {
      const axis = plot.axes[0];
      ctx.font = "12px Roboto";
      (axis._splits ?? []).forEach((tick, k) => {
        const end = plot.over.offsetLeft + plot.valToPos(tick, "x") + ctx.measureText(axis._values[k]).width / 2;
        if (axis._values[k] && tick <= plot.scales.x.max && end > plot.width) cut.push(`${figure.name}: ${axis._values[k]}`);
      });
    }
  }
  return { cut, keyless };
};

/** Drawings that are wider than their place on a phone; a heat map keeps its numbers. */
const tooWide = () =>
  [...document.querySelectorAll(".points.two")].filter((own) => own.scrollWidth > own.clientWidth + 1).map((own) => own.dataset.name);

/** Tables of printed values that do not fit, and words of their heads in two lines. */
const broken = () => {
  const tables = [...document.querySelectorAll(".beside")];
  const wide = tables.filter((own) => own.parentElement.scrollWidth > own.parentElement.clientWidth + 1).map((own) => own.caption.textContent);
  const words = [];
  for (const head of tables.flatMap((own) => [...own.querySelectorAll("thead th")])) {
    const text = head.firstChild;
    for (const { 0: word, index } of head.textContent.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (range.getClientRects().length > 1) words.push(word);
    }
  }
  return { wide, words };
};

test("the testbed's page has its account and what was simulated", () => {
  const page = readFileSync(join(folder, "testbed.html"), "utf8");
  for (const words of ["simulated and measured</caption>", "Whether packets left on time", "612"]) assert.ok(page.includes(words), words);
});

for (const name of PAGES) {
  for (const [screen, options] of Object.entries(SCREENS)) {
    test(`${name}, ${screen}`, async () => {
      const { page, trouble } = await open(chrome, join(folder, `${name}.html`), { bypassCSP: true, ...options });
      try {
        if (screen === "paper") await page.emulateMedia({ media: "print" });
        await page.screenshot({ path: join(pictures, `${name}-${screen}.png`), fullPage: true });
        const { wide, outside } = await page.evaluate(cutOff);
        assert.ok(wide <= 0, `${wide} pixels stick out`);
        assert.deepEqual(outside, [], "letters outside their drawing");
        assert.deepEqual(await page.evaluate(onEachOther), [], "letters on each other");
        assert.deepEqual(await page.evaluate(curves), { cut: [], keyless: [] });
        const rows = await page.evaluate(broken);
        assert.deepEqual(rows.words, [], "words of heads in two lines");
        if (screen === "desk") assert.deepEqual(rows.wide, [], "tables wider than a laptop");
        if (screen === "phone") assert.deepEqual(await page.evaluate(tooWide), [], "drawings wider than a phone");
        if (screen === "paper") {
          const lost = await page.evaluate(() => [...document.querySelectorAll(".keys i, .swatch, .tile")].filter((one) => !(one instanceof SVGElement) && getComputedStyle(one).printColorAdjust !== "exact").length);
          assert.equal(lost, 0, "keys that lose their colours");
          const broken = await page.evaluate(() => [...document.querySelectorAll("td")].filter((cell) => /^[-\d.,]+$/.test(cell.textContent)).filter((cell) => {
            const range = document.createRange();
            range.selectNodeContents(cell);
            return range.getClientRects().length > 1;
          }).map((cell) => cell.textContent));
          assert.deepEqual(broken, [], "numbers broken into lines");
          const alone = await page.evaluate(() => [...document.querySelectorAll("h2, h3")].filter((head) => getComputedStyle(head).breakAfter !== "avoid").length);
          assert.equal(alone, 0, "headings that may stand alone at the foot of a page");
        } else {
          await page.addScriptTag({ content: axe });
          const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
          const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
          assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`), []);
        }
        assert.deepEqual(trouble, []);
      } finally {
        await page.context().close();
      }
    });
  }
}
