// What a reader takes along: a link, TOML, a command, numbers, a figure for another page.

/* global element, save */

import { encode } from "./link.js";
import { PANELS } from "./figure.js";

/** The address of this page with a fragment, and perhaps one figure only. */
export function address(fragment, figure = null) {
  const url = new URL(location.href);
  url.search = figure ? `?embed=${figure}` : "";
  url.hash = fragment;
  return url.href;
}

export class Share {
  /** `content()` gives { scenario, view }, `convert(scenario)` { toml, command }, `series()` the run's. */
  constructor(host, { content, convert, series }) {
    Object.assign(this, { content, convert, series });
    this.status = element("p", { class: "note-small", role: "status" });
    this.text = element("textarea", { rows: "9", readonly: "", hidden: "", "aria-label": "Copied text" });
    const select = element("select", { id: "embed-figure" });
    select.append(...PANELS.map(({ key, title }) => element("option", { value: key }, title)));
    const button = (text, act) => element("button", { type: "button", onclick: act }, text);
    host.replaceChildren(
      element(
        "div",
        { class: "bar" },
        button("Copy link", () => this.copy("The link", async () => address(await encode(this.content())))),
        button("Copy as TOML", () => this.copy("The scenario", async () => (await this.convert(this.content().scenario)).toml)),
        button("Copy as command", () => this.copy("The command", async () => (await this.convert(this.content().scenario)).command)),
        button("Save CSV", () => save("run.csv", new Blob([this.series().csv()], { type: "text/csv" }))),
        element("label", { for: "embed-figure" }, "Figure"),
        select,
        button("Copy for another page", () => this.copy("The frame", async () => frame(address(await encode(this.content()), select.value)))),
      ),
      element("p", { class: "text" }, "SVG and PNG of the curves: above them."),
      this.status,
      this.text,
    );
  }

  async copy(what, make) {
    try {
      const text = await make();
      this.text.value = text;
      this.text.hidden = false;
      const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
      this.status.textContent = copied ? `${what} was copied.` : `${what} is below: copy it from there.`;
    } catch (error) {
      this.status.textContent = error.remedy ? `${error.message}. ${error.remedy}` : error.message;
    }
  }
}

const frame = (url) => `<iframe src="${url.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}" width="720" height="420" title="Tusker, live" loading="lazy"></iframe>`;
