// How the curves of groups look: as in reports, by the law.

import { DASHES, MARKS, MARKS_OF } from "./shapes.js";

export const QUEUE = { hue: 6, dash: [], mark: null };
export const AVERAGE = { hue: 7, dash: DASHES[1], mark: MARKS[1] };

/** The look of a group: its law's hue; a second group of the same law has other dashes. */
export function look(law, nth) {
  const { hue, dash } = law ?? { hue: 7, dash: 0 };
  const own = (dash + nth) % DASHES.length;
  return { hue, dash: DASHES[own], mark: MARKS[MARKS_OF[hue][own]] };
}

/** The same for a run that is kept for comparison: faint, and dotted. */
export const kept = (own) => ({ ...own, dash: [2, 3], mark: null });
