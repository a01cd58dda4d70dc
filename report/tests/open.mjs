// A page in headless Chromium that keeps an account of what goes wrong in it.

import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function browser() {
  const executablePath = places.find((place) => place && existsSync(place));
  if (!executablePath) throw new Error("no Chromium: apt-get install chromium, or set CHROMIUM");
  // no-sandbox: containers run this as root; the pages are our own
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** Opens a file; `trouble` lists errors on the console and requests. */
export async function open(chrome, file, options = {}) {
  const context = await chrome.newContext({ viewport: { width: 1200, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const trouble = [];
  const url = pathToFileURL(file).href;
  // reading pixels is the tests' doing, and so is the hint that it is slow
  const ours = (message) => message.type() === "log" || message.text().includes("willReadFrequently");
  page.on("console", (message) => !ours(message) && trouble.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    const own = request.url() === url || /^(blob|data):/.test(request.url());
    if (!own) trouble.push(`request: ${request.url()}`);
  });
  const begun = Date.now();
  await page.goto(url);
  await page.waitForSelector("html[data-ready]", { timeout: 60_000 });
  // drawn, not only asked for
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return { page, trouble, took: Date.now() - begun };
}

/** How many pixels of a panel's canvas have this colour, or nearly. */
export function pixels(page, figure, panel, colour) {
  return page.evaluate(
    ([figure, panel, colour]) => {
      const canvas = document.querySelectorAll(`#f-${CSS.escape(figure)} canvas`)[panel];
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] > 127 && wanted.every((value, k) => Math.abs(data[i + k] - value) < 24)) count += 1;
      }
      return count;
    },
    [figure, panel, colour],
  );
}

/** What each panel of all figures shows of its horizontal axis. */
export const shown = (page) =>
  page.evaluate(() => window.tuskerReport.figures.map((figure) => ({ time: figure.spec.time, ranges: figure.plots.map(({ scales }) => [scales.x.min, scales.x.max]) })));

/** A panel's drawing area on the screen. */
export async function area(page, figure, panel) {
  const over = page.locator(`#f-${figure} .u-over`).nth(panel);
  await over.scrollIntoViewIfNeeded();
  return over.boundingBox();
}
