// A story beside the run: what is told, the controls it needs, and whether the reader's run
// answers its question.

/* global element */

import { judge, words } from "./measures.js";
import { DEFAULT, group, names } from "./setting.js";
import { STORIES } from "./stories.js";

const complete = (groups) => groups.map(({ law, ...more }) => group(law, more));

/** The setting that a story begins with, or with its solution. */
export function settingOf(story, more = {}) {
  const given = { ...story.setting, ...more };
  return { ...DEFAULT, ...given, groups: complete(given.groups) };
}

export const find = (id) => STORIES.find((story) => story.id === id) ?? null;

export class Story {
  /** `open(story)` opens one, `close()` leaves it. */
  constructor(host, { open, close }) {
    Object.assign(this, { host, open, close, story: null });
  }

  show(story) {
    this.story = story;
    this.answered = false;
    this.host.hidden = !story;
    if (!story) return this.host.replaceChildren();
    const at = STORIES.indexOf(story);
    const go = (to, text) => {
      const button = element("button", { type: "button", onclick: () => this.open(STORIES[to]) }, text);
      button.disabled = !STORIES[to];
      return button;
    };
    this.controls = element("div", { class: "controls" });
    this.verdict = element("ul", { class: "verdict" });
    this.after = element("p", { class: "after", hidden: "" }, story.afterwards);
    this.status = element("p", { class: "status", role: "status" });
    this.host.replaceChildren(
      element("div", { class: "bar" }, element("span", { class: "made grow" }, `Story ${at + 1} of ${STORIES.length}`), go(at - 1, "Previous"), go(at + 1, "Next"), element("button", { type: "button", onclick: () => this.close() }, "Close")),
      element("h2", { tabindex: "-1" }, story.title),
      ...story.text.map((text) => element("p", {}, text)),
      element("p", { class: "question" }, story.question),
      this.controls,
      this.verdict,
      this.status,
      this.after,
    );
  }

  /** The run that is there now, with its summary and setting; null while it is not done. */
  judge(run) {
    if (!this.story) return;
    this.host.dataset.judged = run ? "yes" : "no";
    if (!run) return;
    const labels = names(run.setting.groups);
    const found = judge(this.story.answer, run);
    this.verdict.replaceChildren(...found.map((own) => element("li", { class: own.holds ? "good" : "mixed" }, `${own.holds ? "✓" : "·"} ${words(own, labels)}`)));
    this.answered = found.every(({ holds }) => holds);
    const text = this.answered ? "That answers it." : "Not yet.";
    if (this.status.textContent !== text) this.status.textContent = text;
    this.after.hidden = !this.answered;
    this.host.dataset.answered = this.answered ? "yes" : "no";
  }
}

/** The list of all stories. */
export function contents(open) {
  return STORIES.map((story, nth) => element("li", {}, element("button", { type: "button", class: "story", onclick: () => open(story) }, element("b", {}, `${nth + 1}. ${story.title}`), element("span", {}, story.question))));
}
