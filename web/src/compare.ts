// Several runs side by side: their values, the interval of their differences on the same rows, and each label's
// change.
import { ChartView } from "./chart";
import { type Child, h, panel, table } from "./dom";
import { count, short, signed, value } from "./format";
import type { Run } from "./run";
import { type Column, VirtualTable } from "./virtual";

const sorted = (values: number[]): number[] => values.filter((x) => Number.isFinite(x)).sort((a, b) => a - b);

// As in eval/bootstrap.cpp: linear interpolation between order statistics.
function quantile(values: number[], q: number): number {
  const position = q * (values.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, values.length - 1);
  return values[below] + (position - below) * (values[above] - values[below]);
}

// 95 % interval of the metric's difference on the same resamples; a reason where the runs do not pair.
export function pairedInterval(first: Run, other: Run): [number, number] | string {
  const [a, b] = [first.report, other.report];
  if (a.metric.name !== b.metric.name) return "another metric";
  if (a.headline?.replicates === undefined || b.headline?.replicates === undefined) return "no counts recorded";
  if (a.data?.fingerprint !== b.data?.fingerprint) return "other rows";
  if (a.seed !== b.seed || a.headline.replicates.length !== b.headline.replicates.length) return "other resamples (seed)";
  const differences = sorted(b.headline.replicates.map((x, k) => (x ?? NaN) - (a.headline!.replicates![k] ?? NaN)));
  return differences.length === 0 ? "undefined" : [quantile(differences, 0.025), quantile(differences, 0.975)];
}

function verdict(first: Run, run: Run): Child {
  if (run === first) return "";
  const interval = pairedInterval(first, run);
  if (typeof interval === "string") return `not paired: ${interval}`;
  return `${signed(interval[0])} … ${signed(interval[1])}`;
}

// Labels are matched by name.
function matched(first: Run, other: Run): [number, number][] {
  const places = new Map<string, number>();
  for (let j = 0; j < other.labels; ++j) places.set(other.labelName(j), j);
  const pairs: [number, number][] = [];
  for (let j = 0; j < first.labels; ++j) {
    const k = places.get(first.labelName(j));
    if (k !== undefined) pairs.push([j, k]);
  }
  return pairs;
}

function labelChanges(first: Run, other: Run): HTMLElement | null {
  const pairs = matched(first, other);
  if (pairs.length === 0) return h("p", { class: "hint" }, `${other.name} shares no label's name with ${first.name}.`);
  const alone = first.labels + other.labels - 2 * pairs.length;
  const change = (k: number): number => other.f1(pairs[k][1]) - first.f1(pairs[k][0]);
  const columns: Column[] = [
    { title: "label", hint: "Name of the label", text: (k) => first.labelName(pairs[k][0]), order: (k) => first.labelName(pairs[k][0]) },
    { title: "support", hint: "Rows that have the label", text: (k) => count(first.support(pairs[k][0])), order: (k) => first.support(pairs[k][0]) },
    { title: `F1 ${first.name}`, hint: "", text: (k) => value(first.f1(pairs[k][0]), 3), order: (k) => first.f1(pairs[k][0]) },
    { title: `F1 ${other.name}`, hint: "", text: (k) => value(other.f1(pairs[k][1]), 3), order: (k) => other.f1(pairs[k][1]) },
    { title: "difference", hint: `${other.name} − ${first.name}`, text: (k) => signed(change(k), 3), order: change },
  ];
  const view = new VirtualTable(columns, pairs.length, `Labels of ${first.name} and ${other.name}`, () => undefined);
  view.element.classList.add("passive");
  view.sort(4, false);
  return h("div", {}, h("h3", {}, `${other.name} against ${first.name}, label by label`),
    alone > 0 && h("p", { class: "hint" }, `${count(alone)} labels are in one of the two only and left out.`), view.element, pairs.length <= 1500 && scatter(first, other, pairs));
}

function scatter(first: Run, other: Run, pairs: [number, number][]): HTMLElement {
  return new ChartView({
    label: `F1 of each label: ${other.name} against ${first.name}`, x: { title: `F1, ${first.name}`, low: 0, high: 1 }, y: { title: `F1, ${other.name}`, low: 0, high: 1 },
    lines: [{ points: [[0, 0], [1, 1]], series: "quiet", dashed: true }],
    marks: pairs.map(([j, k]) => ({ x: first.f1(j), y: other.f1(k), series: "ours" as const, text: `${first.labelName(j)}: ${value(first.f1(j), 3)} → ${value(other.f1(k), 3)}` })),
  }).element;
}

export function comparison(runs: Run[]): HTMLElement {
  const first = runs[0];
  const rows = runs.map((run) => {
    const { headline, search, metric } = run.report;
    const held = headline === undefined ? search?.out_of_fold?.value : headline.value;
    const baseline = runs.length > 0 && run !== first && typeof held === "number" && typeof first.report.headline?.value === "number" && metric.name === first.report.metric.name
      ? signed(held - first.report.headline.value) : "";
    return [run.name, metric.name, value(held), headline?.interval ? `${value(headline.interval[0])} – ${value(headline.interval[1])}` : "–", baseline, verdict(first, run),
      search?.method ?? "–", short(search?.seed)];
  });
  const { comparison: all } = first.report;
  const repeated = all !== undefined && h("div", {}, h("h3", {}, `All ${all.runs} runs`),
    h("p", { class: "hint" }, `Runs differ by ${all.runs_differ_by}. ${all.test}.`),
    table(["method", "metric", "mean", "± sd", "difference", "p", "seconds"], all.results.map((r) =>
      [r.method, r.metric, value(r.mean), value(r.sd), signed(r.difference), short(r.p), short(r.seconds)]), { caption: "All runs" }));
  const changes = runs.slice(1).filter((run) => run.labels > 0 && first.labels > 0).map((run) => labelChanges(first, run));
  return panel("compare", "Runs side by side", `Differences are to ${first.name}. Where runs judged the same rows with the same seed, resamples are paired: an interval that leaves out 0 is a difference that these rows can tell.`,
    table(["run", "metric", "value", "95 % interval", "difference", "its 95 % interval", "method", "seed"], rows, { caption: "Runs side by side" }), repeated, ...changes);
}
