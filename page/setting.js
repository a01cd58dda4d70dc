// What the form sets, as a scenario and back. The scenario is what is run, shared and kept;
// one that the form cannot express is run as it is.

import { bdp, rate, time } from "./quantity.js";

const ACCESS = "1Tbit";
const SOURCES = 10;
const SHARE = 0.5;

export const DEFAULT = {
  profile: "linux",
  duration: 60,
  seed: 1,
  hostTime: null,
  rate: 100e6,
  rtt: 0.06,
  buffer: 1,
  policy: { name: "droptail", values: {} },
  /** Whether the queue marks instead of dropping; null: as its policy does. */
  ecn: null,
  loss: 0,
  cross: 0,
  /** { of: "rate" | "rtt", steps: [{ at, to }] } */
  change: null,
  groups: [],
  own: null,
};

/** `ecn`: true, false, "accurate" or "l4s"; null: as the law has it. */
export const group = (law, more = {}) => ({ law, values: {}, count: 1, extra: 0, start: 0, ecn: null, ...more });

const named = ({ name, values }) => (Object.keys(values).length ? { name, ...values } : name);

/** Names of groups: the law's, numbered where it is there twice. */
export function names(groups) {
  return groups.map(({ law }, nth) => {
    const same = groups.filter((other) => other.law === law).length > 1;
    return same ? `${law}-${groups.slice(0, nth + 1).filter((other) => other.law === law).length}` : law;
  });
}

function varied(key, value, change, write) {
  if (!change || change.of !== key) return write(value);
  const unit = key === "rate" ? "rate" : "delay";
  const steps = change.steps.toSorted((a, b) => a.at - b.at);
  return [{ at: 0, to: value }, ...steps].map(({ at, to }) => ({ at: time.write(at), [unit]: write(to) }));
}

/** The scenario of a setting, as JSON. */
export function toScenario(setting) {
  const { profile, duration, seed, hostTime, buffer, policy, ecn, loss, cross, change, groups, own } = setting;
  const labels = names(groups);
  const half = (value) => time.write(value / 2);
  const scenario = { profile, duration: time.write(duration) };
  if (seed !== 1) scenario.seed = seed;
  if (hostTime !== null) scenario.host_time = hostTime === 0 ? "0s" : { exponential: time.write(hostTime) };
  scenario.dumbbell = {
    rate: varied("rate", setting.rate, change, rate.write),
    delay: varied("rtt", setting.rtt, change, half),
    queue: { policy: policy.name, limit: bdp.write(buffer), ...policy.values },
  };
  if (ecn !== null) scenario.dumbbell.queue.ecn = ecn;
  if (loss > 0) scenario.dumbbell.loss = loss;
  scenario.flows = groups.map(({ law, values, count, start, extra, ecn: marks }, nth) => {
    const flow = { name: labels[nth], count, cc: named({ name: law, values }) };
    if (start > 0) flow.start = time.write(start);
    if (extra > 0) flow.access = { rate: ACCESS, delay: time.write(extra / 4) };
    if (marks !== null) flow.tcp = { ecn: marks };
    return flow;
  });
  if (own && groups.some(({ law }) => law === "own")) scenario.own = own;
  if (cross > 0) {
    scenario.background = [{ name: "cross", count: SOURCES, rate: rate.write((cross * setting.rate) / SOURCES / SHARE), share: SHARE }];
  }
  return scenario;
}

function unvaried(key, value, parse) {
  if (!Array.isArray(value)) return [parse(value), null];
  const unit = key === "rate" ? "rate" : "delay";
  const [first, ...steps] = value.map((step) => ({ at: time.parse(step.at), to: parse(step[unit]) }));
  return [first.to, { of: key, steps }];
}

function read(scenario) {
  const { dumbbell, flows, background } = scenario;
  const { policy = "droptail", limit, ecn = null, ...values } = typeof dumbbell.queue === "string" ? { limit: dumbbell.queue } : dumbbell.queue;
  const [rateAtFirst, ofRate] = unvaried("rate", dumbbell.rate, rate.parse);
  const [rtt, ofDelay] = unvaried("rtt", dumbbell.delay, (text) => 2 * time.parse(text));
  const { host_time: hosts } = scenario;
  return {
    profile: scenario.profile,
    duration: time.parse(scenario.duration),
    seed: scenario.seed ?? 1,
    hostTime: hosts === undefined ? null : hosts === "0s" ? 0 : time.parse(hosts.exponential),
    rate: rateAtFirst,
    rtt,
    buffer: bdp.parse(limit),
    policy: { name: policy, values },
    ecn,
    loss: dumbbell.loss ?? 0,
    cross: background ? (rate.parse(background[0].rate) * SOURCES * SHARE) / rateAtFirst : 0,
    change: ofRate ?? ofDelay,
    own: scenario.own ?? null,
    groups: flows.map((flow) => {
      const { name, ...own } = typeof flow.cc === "string" ? { name: flow.cc } : flow.cc;
      return { law: name, values: own, count: flow.count ?? 1, extra: flow.access ? 4 * time.parse(flow.access.delay) : 0, start: time.parse(flow.start ?? "0s"), ecn: flow.tcp?.ecn ?? null };
    }),
  };
}

/** The same whatever the order of keys. */
const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
};
export const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** The setting of a scenario, or null if the form cannot express all of it. */
export function fromScenario(scenario) {
  try {
    const setting = read(scenario);
    return same(toScenario(setting), scenario) ? setting : null;
  } catch {
    return null;
  }
}

/** In what two settings differ, as [what, first, second] in words. */
export function differences(a, b) {
  const found = [];
  const compare = (what, first, second, show = String) => {
    if (!same(first ?? null, second ?? null)) found.push([what, show(first), show(second)]);
  };
  const values = (own) => Object.entries(own).map(([key, value]) => `${key} = ${value}`).join(", ") || "defaults";
  compare("rate", a.rate, b.rate, rate.show);
  compare("round trip", a.rtt, b.rtt, time.show);
  compare("buffer", a.buffer, b.buffer, bdp.show);
  compare("queue", a.policy.name, b.policy.name);
  compare("queue's parameters", a.policy.values, b.policy.values, values);
  compare("random loss", a.loss, b.loss);
  compare("cross traffic", a.cross, b.cross);
  compare("queue's ECN", a.ecn, b.ecn, (ecn) => ({ true: "marks", false: "drops" })[ecn] ?? "the policy's");
  compare("change", a.change, b.change, (change) => (change ? `${change.of} ${change.steps.map(({ at, to }) => `${(change.of === "rate" ? rate : time).show(to)} at ${time.show(at)}`).join(", ")}` : "none"));
  compare("hosts' delay", a.hostTime, b.hostTime, (value) => (value === null ? "the profile's" : time.show(value)));
  compare("duration", a.duration, b.duration, time.show);
  compare("seed", a.seed, b.seed);
  compare("profile", a.profile, b.profile);
  const flows = ({ groups }) => groups.map((own) => `${own.count} ${own.law}${own.extra ? ` +${time.show(own.extra)}` : ""}${own.start ? ` from ${time.show(own.start)}` : ""}${own.ecn === null ? "" : ` ECN ${own.ecn}`}${Object.keys(own.values).length ? ` (${values(own.values)})` : ""}`).join(", ");
  compare("flows", flows(a), flows(b));
  compare("own law", a.own, b.own, (law) => (law ? `${law.grow}; ${law.shrink}` : "none"));
  return found;
}
