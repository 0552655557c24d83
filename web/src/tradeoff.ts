// The trade-off panel: λ moves every label to its best recorded threshold, and every metric that counts can give
// is recomputed from the exact counts there.
import { ChartView } from "./chart";
import { h, panel, table } from "./dom";
import { downloadButton, csv } from "./download";
import { count, short, signed, value } from "./format";
import { type Counts, standardMetrics } from "./metrics";
import type { Metric } from "./schema";
import { fixedPoint, type Run } from "./run";

export interface Setting { lambda: number | null; choice: number[] } // choice: index into each label's curve

export function setting(run: Run, lambda: number): Setting {
  return { lambda, choice: Array.from({ length: run.labels }, (_, j) => run.bestAt(j, lambda)) };
}

export function countsAt(run: Run, choice: Setting | null): (j: number) => Counts {
  return choice === null ? (j) => run.counts(j) : (j) => run.at(j, run.curve(j)[choice.choice[j]]);
}

export function metricsShown(run: Run): Metric[] {
  const own = run.report.metric;
  const standard = standardMetrics(own.zero_division);
  return own.average === "samples" || standard.some((m) => m.name === own.name) ? standard : [own, ...standard];
}

// λ from the lowest to the highest value that the metric can take; 0 … 1 for all the usual ones.
function startLambda(run: Run): number {
  const points: [number, number][] = [];
  for (let k = 0; k <= 20; ++k) points.push([k / 20, run.valueAtLambda(run.report.metric, k / 20)]);
  return Math.round(100 * (fixedPoint(points) ?? 0.5)) / 100;
}

export function tradeoff(run: Run): HTMLElement | null {
  if (!run.hasCurves || run.labels === 0) return null;
  const { metric } = run.report;
  const metrics = metricsShown(run);
  const decided = metrics.map((m) => run.evaluate(m));
  let now: Setting | null = null;
  const body = h("div", {});
  const said = h("output", { class: "said" });
  const slider = h("input", { type: "range", min: 0, max: 1, step: 0.01, value: startLambda(run), id: "lambda-slider", "aria-describedby": "tradeoff-said" });
  said.id = "tradeoff-said";

  const show = (): void => {
    const counts = countsAt(run, now);
    let given = 0;
    let right = 0;
    for (let j = 0; j < run.labels; ++j) {
      const c = counts(j);
      given += c.tp + c.fp;
      right += c.tp;
    }
    said.textContent = `${now === null ? "As decided by the model" : `λ = ${value(now.lambda, 2)}`}: ${count(given)} labels given, ${count(right)} of them right.`;
    slider.setAttribute("aria-valuetext", now === null ? "as decided" : `λ ${value(now.lambda, 2)}`);
    const values = metrics.map((m) => run.evaluate(m, counts));
    body.replaceChildren(table(["metric", "as decided", now === null ? "now" : `at λ = ${value(now.lambda, 2)}`, "difference"], metrics.map((m, k) => [
      m.name === metric.name ? h("strong", {}, m.name) : m.name, value(decided[k]),
      h("span", { "data-metric": m.name, "data-value": String(values[k]) }, value(values[k])), signed(values[k] - decided[k])]),
    { caption: "Metrics at the chosen trade-off" }));
  };
  const move = (): void => {
    now = setting(run, Number(slider.value));
    show();
  };
  slider.addEventListener("input", move);
  const back = h("button", { type: "button", class: "button", onclick: () => { now = null; show(); } }, "As decided");
  const take = downloadButton("Thresholds (CSV)", "thresholds.csv", "text/csv", () => thresholdsCsv(run, now ?? setting(run, Number(slider.value))));
  show();
  const limits = metric.average === "samples" ? " A samples average needs the rows and can't be recomputed from counts." : "";
  return panel("tradeoff", "Trade-off",
    "Move λ: a low λ gives labels freely (recall), a high one only where it is sure (precision). Each label takes its best recorded threshold at λ, with no rule on labels per row, "
    + `and all metrics follow from the exact counts there. Chosen on these rows, thresholds flatter themselves on them: use new rows to judge them.${limits}`,
    h("div", { class: "slider" }, h("label", { for: "lambda-slider" }, "λ"), slider, back, take), said, body, oneThreshold(run));
}

function oneThreshold(run: Run): HTMLElement | null {
  const points = (run.report.one_threshold ?? []).filter((p): p is [number, number] => p[1] !== null);
  if (points.length < 2) return null;
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return h("details", {}, h("summary", {}, "One threshold for all labels"), new ChartView({
    label: `${run.report.metric.name} against one threshold for all labels`, height: 240,
    x: { title: "threshold of every label (score; 0 is probability 0.5)", low: Math.min(...xs), high: Math.max(...xs) },
    y: { title: run.report.metric.name, low: Math.min(0, ...ys), high: Math.max(1, ...ys) },
    lines: [{ points, series: "base" }],
    marks: points.map(([x, y]) => ({ x, y, series: "quiet" as const, text: `threshold ${short(x)}: ${value(y)}` })),
  }).element);
}

export function thresholdsCsv(run: Run, at: Setting): string {
  return csv([["label", "threshold", "TP", "FP"], ...at.choice.map((k, j) => {
    const point = run.curve(j)[k];
    return [run.labelName(j), Number.isFinite(point.threshold) ? point.threshold : short(point.threshold), point.tp, point.fp];
  })]);
}
