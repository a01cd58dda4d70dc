// How the curves of groups look: as in reports, by the law.

/** Lengths of strokes and gaps, and corners of marks: crates/tusker-report/src/look.rs. */
const DASHES = [[], [7, 4], [1.5, 3], [9, 3, 1.5, 3], [14, 5], [9, 3, 1.5, 3, 1.5, 3]];
const MARKS = [
  null,
  [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
  [[0, -1.3], [1.2, 0.85], [-1.2, 0.85]],
  [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
  [[0, 1.3], [1.2, -0.85], [-1.2, -0.85]],
];

export const QUEUE = { hue: 6, dash: [], mark: null };
export const AVERAGE = { hue: 7, dash: DASHES[1], mark: MARKS[1] };

/** The look of a group: its law's hue; a second group of the same law has other dashes. */
export function look(law, nth) {
  const { hue, dash } = law ?? { hue: 7, dash: 0 };
  const own = (dash + nth) % DASHES.length;
  return { hue, dash: DASHES[own], mark: MARKS[(hue + own) % MARKS.length] };
}

/** The same for a run that is kept for comparison: faint, and dotted. */
export const kept = (own) => ({ ...own, dash: [2, 3], mark: null });
