// Numbers of a run, from its summary and its setting.

const mean = (measure) => measure?.mean ?? null;

const bottleneck = (summary) => summary.links.find((link) => link.bottleneck) ?? summary.links[0];

/** Measures by name; `nth` is a group's number. Null where there is none. */
export const MEASURES = {
  utilisation: ({ summary }) => mean(bottleneck(summary)?.utilisation),
  queueing_delay: ({ summary }) => mean(bottleneck(summary)?.queueing_delay_mean_s),
  jain: ({ summary }) => mean(summary.total.jain),
  loss_rate: ({ summary }) => mean(summary.total.loss_rate),
  share: ({ summary }, nth) => {
    const all = summary.groups.map((group) => mean(group.goodput_bps) ?? 0);
    return all[nth] / all.reduce((sum, one) => sum + one, 0);
  },
  /** Seconds from one congestion episode of a flow to the next. */
  tooth: ({ summary }) => {
    const { from_s: from, to_s: to } = summary.window;
    const [first] = summary.groups;
    return ((to - from) * first.flows) / mean(first.episodes);
  },
  buffer: ({ setting }) => setting.buffer,
  loss: ({ setting }) => setting.loss,
  extra: ({ setting }, nth) => setting.groups[nth]?.extra ?? 0,
};

/** How far each condition holds: [condition, value, whether it holds]. */
export function judge(conditions, run) {
  return conditions.map((condition) => {
    const value = MEASURES[condition.of](run, condition.group);
    const holds = Number.isFinite(value) && (condition.at === "least" ? value >= condition.value : value <= condition.value);
    return { condition, value, holds };
  });
}

const percents = (value) => `${Number((100 * value).toPrecision(3))} %`;
const seconds = (value) => (value < 0.9995 ? `${Number((1e3 * value).toPrecision(3))} ms` : `${Number(value.toPrecision(3))} s`);
const plain = (value) => String(Number(value.toPrecision(3)));

const WORDS = {
  utilisation: ["link busy", percents],
  queueing_delay: ["mean wait", seconds],
  jain: ["Jain's index", plain],
  loss_rate: ["lost", percents],
  share: ["share of", percents],
  tooth: ["a tooth", seconds],
  buffer: ["buffer in BDP", plain],
  loss: ["random loss", (value) => (value < 0.001 ? `${(1e6 * value).toPrecision(2)} per million` : percents(value))],
  extra: ["longer by", seconds],
};

/** A condition with its value, in words. */
export function words({ condition, value }, labels) {
  const [name, show] = WORDS[condition.of];
  const whose = condition.group === undefined || condition.of === "extra" ? "" : ` ${labels[condition.group]}`;
  return `${name}${whose}: ${Number.isFinite(value) ? show(value) : "not measured"} (at ${condition.at} ${show(condition.value)})`;
}
