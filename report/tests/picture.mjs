// The picture of docs/report.md: the top of a page of two experiments.

import { join } from "node:path";
import { area, browser, open } from "./open.mjs";

const chrome = await browser();
const { page } = await open(chrome, join(process.env.TUSKER_PAGES, "picture.html"), { viewport: { width: 1100, height: 800 } });
const box = await area(page, "overlay", 1);
await page.mouse.move(box.x + box.width * 0.62, box.y + 60);
await page.screenshot({ path: "docs/pictures/report.png" });
await chrome.close();
