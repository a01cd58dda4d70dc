// The live page with a program behind it: `tusker serve` and `tusker run --open`. TUSKER names
// the program.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { browser } from "../../report/tests/open.mjs";
import { serve } from "./serve.mjs";

const { TUSKER: program, TUSKER_LIVE: folder } = process.env;
if (!program || !folder) throw new Error("TUSKER and TUSKER_LIVE name no program and no folder: run `make browser`");

const SCENARIO = `profile = "linux"
duration = "20s"
[dumbbell]
rate = "10Mbit"
delay = "20ms"
queue = "1bdp"
[[flows]]
name = "a"
cc = "cubic"
[[flows]]
name = "b"
cc = "bbr3"
`;
const link = (scenario) => `#v1.${deflateRawSync(Buffer.from(JSON.stringify({ scenario, view: {} }))).toString("base64url")}`;

let chrome;
const place = mkdtempSync(join(tmpdir(), "tusker-native-"));
before(async () => {
  chrome = await browser();
  // the page without its module
  cpSync(folder, join(place, "page"), { recursive: true });
  rmSync(join(place, "page", "engine.wasm"));
  writeFileSync(join(place, "one.toml"), SCENARIO);
});
after(async () => {
  await chrome?.close();
  rmSync(place, { recursive: true });
});

/** A program that prints its address, and is ended after `act(address)`. */
async function serving(args, act, env = {}) {
  const child = spawn(program, args, { cwd: place, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "ignore"] });
  try {
    let printed = "";
    for await (const part of child.stdout) {
      printed += part;
      const [address] = /http:\/\/127\S+(?=\n)/.exec(printed) ?? [];
      if (address) return await act(address, child);
    }
    throw new Error(`no address: ${printed}`);
  } finally {
    child.kill();
  }
}

async function opened(address, act) {
  const context = await chrome.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const trouble = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(error.message));
  try {
    await page.goto(address);
    await act(page, trouble);
    assert.deepEqual(trouble, []);
  } finally {
    await context.close();
  }
}

const ready = (page) => page.waitForSelector("html[data-state=done][data-parts=yes][data-ready=yes]");
const shown = (page) => page.evaluate(() => [window.tuskerPage.page.shown.summary, window.tuskerPage.page.shown.series.csv()]);

test("a page that is served runs in the program, and shows the same as its own engine", () =>
  serving(["serve", "--page", "page"], (address) =>
    opened(address + link(SCENARIO), async (page) => {
      await ready(page);
      assert.match(await page.locator("#status").textContent(), /computed in .* by tusker serve/);
      assert.equal(await page.locator("#f-live canvas").count(), 5);
      await page.waitForSelector("#sheet .equation");
      const native = await shown(page);
      const own = await serve(folder);
      await opened(own.url + link(SCENARIO), async (other) => {
        await ready(other);
        assert.doesNotMatch(await other.locator("#status").textContent(), /tusker serve/);
        assert.deepEqual(await shown(other), native);
      }).finally(own.end);
      // a run that is stopped ends in the program, too: more follow than it has places for
      const long = SCENARIO.replace("10Mbit", "1Gbit").replace("20s", "300s");
      for (let i = 0; i < 12; i++) {
        await page.evaluate((next) => (location.hash = next), link(`# ${i}\n${long}`));
        await page.waitForFunction((n) => String(window.tuskerPage.page.shown.scenario).startsWith(`# ${n}`), i);
        await page.locator("#stop").click();
        await page.waitForSelector("html[data-state=stopped]");
      }
      await page.evaluate((next) => (location.hash = next), link(SCENARIO));
      await ready(page);
      assert.deepEqual((await shown(page))[0], native[0]);
    })));

test("a page goes on by itself when the program does not answer", () =>
  serving(["serve", "--page", folder], (address) =>
    opened(address + link(SCENARIO), async (page, trouble) => {
      await ready(page);
      const native = await shown(page);
      await page.route("**/call/*", (route) => route.abort());
      await page.evaluate((next) => (location.hash = next), link(SCENARIO.replace("20s", "21s")));
      await page.waitForFunction(() => window.tuskerPage.page.shown.duration === 21 && window.tuskerPage.page.shown.done);
      assert.doesNotMatch(await page.locator("#status").textContent(), /tusker serve/);
      await page.evaluate((next) => (location.hash = next), link(SCENARIO));
      await page.waitForFunction(() => window.tuskerPage.page.shown.duration === 20 && window.tuskerPage.page.shown.done);
      assert.deepEqual(await shown(page), native);
      assert.deepEqual(trouble.splice(0), ["Failed to load resource: net::ERR_FAILED"]);
    })));

test("a link that is opened while the page writes its address is shown", () =>
  serving(["serve", "--page", folder], (address) =>
    opened(address + link(SCENARIO), async (page) => {
      await ready(page);
      await page.waitForSelector("html[data-shared=yes]");
      await page.evaluate(([other, again]) => {
        const replace = history.replaceState.bind(history);
        history.replaceState = (...what) => {
          history.replaceState = replace;
          location.hash = again;
          replace(...what);
        };
        location.hash = other;
      }, [link(SCENARIO.replace("20s", "21s")), link(SCENARIO.replace("20s", "22s"))]);
      await page.waitForFunction(() => window.tuskerPage.page.shown.duration === 22 && window.tuskerPage.page.shown.done);
    })));

test("a law of the reader's runs in the page", () =>
  serving(["serve", "--page", folder], (address) =>
    opened(address + link(SCENARIO), async (page) => {
      await ready(page);
      await page.getByRole("button", { name: "Run it beside CUBIC" }).click();
      await ready(page);
      await page.waitForFunction(() => window.tuskerPage.page.shown.done && window.tuskerPage.page.shown.groups[0].name === "own");
    })));

test("a program that is gone is named", () =>
  serving(["serve", "--page", "page"], (address, child) =>
    opened(address + link(SCENARIO), async (page, trouble) => {
      await ready(page);
      child.kill();
      await new Promise((ended) => child.once("exit", ended));
      await page.evaluate((next) => (location.hash = next), link(SCENARIO.replace("20s", "21s")));
      await page.waitForSelector("html[data-state=error]");
      assert.match(await page.locator("#problem").textContent(), /tusker serve/);
      trouble.length = 0;
    })));

test("run --open opens the browser at the run", async () => {
  // the browser: it writes down what it is to open
  const heard = join(place, "heard");
  const stand = join(place, "xdg-open");
  writeFileSync(stand, `#!/bin/sh\nprintf %s "$1" > '${heard}.new' && mv '${heard}.new' '${heard}'\n`);
  chmodSync(stand, 0o755);
  const path = `${place}:${process.env.PATH}`;
  await serving(["run", "one.toml", "--set", "duration=15s", "--no-save", "--quiet", "--open"], async (address) => {
    let given = "";
    for (let i = 0; i < 300 && !given; i++) {
      await new Promise((later) => setTimeout(later, 100));
      try {
        given = readFileSync(heard, "utf8");
      } catch {}
    }
    assert.equal(given, address);
    await opened(given, async (page) => {
      await ready(page);
      const [{ groups, window }] = await shown(page);
      assert.deepEqual(groups.map(({ name }) => name), ["a", "b"]);
      assert.equal(window.to_s, 15);
    });
  }, { PATH: path });
});
