// The table of labels, and the drawer that opens for one of them.
import { ChartView } from "./chart";
import { type Child, h, panel, table } from "./dom";
import { count, percent, plural, short, value } from "./format";
import { f1, precision, ratioOf, ratioValue, recall, zeroDivision } from "./metrics";
import type { Point, Run } from "./run";
import { type Column, VirtualTable } from "./virtual";

export function rowsOf(run: Run, j: number): number {
  const c = run.counts(j);
  return c.tp + c.fp + c.fn + c.tn;
}

export function thresholdOf(run: Run, j: number): number {
  const thresholds = run.report.labels?.thresholds;
  return thresholds === undefined ? NaN : thresholds[j] ?? Infinity;
}

function columnsOf(run: Run): Column[] {
  const number = (title: string, hint: string, of: (j: number) => number, text: (x: number) => string, bar = false): Column =>
    ({ title, hint, text: (j) => text(of(j)), order: of, bar: bar ? of : undefined });
  const columns: Column[] = [
    { title: "label", hint: "Name of the label", text: (j) => run.labelName(j), order: (j) => run.labelName(j) },
    number("support", "Rows that have the label", (j) => run.support(j), count),
    number("TP", "True and predicted", (j) => run.counts(j).tp, count),
    number("FP", "Predicted, not true", (j) => run.counts(j).fp, count),
    number("FN", "True, not predicted", (j) => run.counts(j).fn, count),
    number("P", "Precision TP / (TP + FP)", (j) => precision(run.counts(j), NaN), (x) => value(x, 3)),
    number("R", "Recall TP / (TP + FN)", (j) => recall(run.counts(j), NaN), (x) => value(x, 3)),
    number("F1", "2·TP / (2·TP + FP + FN)", (j) => f1(run.counts(j), NaN), (x) => value(x, 3), true),
    number("true", "Share of rows that have the label", (j) => run.support(j) / rowsOf(run, j), percent),
    number("given", "Share of rows that are given the label", (j) => (run.counts(j).tp + run.counts(j).fp) / rowsOf(run, j), percent),
  ];
  const { thresholds, spread } = run.report.labels!;
  if (thresholds !== undefined) {
    columns.splice(8, 0, {
      title: "threshold", wide: true, hint: "Score from which the label is predicted ± its spread when tuned on other rows",
      order: (j) => thresholdOf(run, j),
      text: (j) => short(thresholdOf(run, j)) + (typeof spread?.[j] === "number" && Number.isFinite(thresholdOf(run, j)) ? ` ± ${spread[j]!.toPrecision(2)}` : ""),
    });
  }
  return columns;
}

export function labelPanel(run: Run, open: (label: number) => void): HTMLElement | null {
  if (run.report.labels === undefined) return null;
  if (run.labels === 0) return panel("labels", "Labels", "", h("p", {}, "The data have no label."));
  const view = new VirtualTable(columnsOf(run), run.labels, "Every label with its counts", open);
  const said = h("span", { class: "hint", "aria-live": "polite" }, plural(run.labels, "label"));
  const names = run.report.labels.names.map((name) => name.toLowerCase());
  const search = h("input", { type: "search", placeholder: "Search labels", "aria-label": "Search labels by name", autocomplete: "off" });
  const which = h("select", { "aria-label": "Which labels to show" },
    h("option", { value: "all" }, "all labels"), h("option", { value: "present" }, "with positive rows"),
    h("option", { value: "zero" }, "F1 = 0"), h("option", { value: "never" }, "never predicted"), h("option", { value: "rare" }, "fewer than 20 rows"));
  const tests: Record<string, (j: number) => boolean> = {
    all: () => true, present: (j) => run.support(j) > 0, zero: (j) => run.support(j) > 0 && run.counts(j).tp === 0,
    never: (j) => run.counts(j).tp + run.counts(j).fp === 0, rare: (j) => run.support(j) < 20,
  };
  const apply = (): void => {
    const wanted = search.value.trim().toLowerCase();
    const shown = view.filter((j) => names[j].includes(wanted) && tests[which.value](j));
    said.textContent = shown === run.labels ? plural(shown, "label") : `${count(shown)} of ${plural(run.labels, "label")}`;
  };
  search.addEventListener("input", apply);
  which.addEventListener("change", apply);
  if (run.labels > 1) view.sort(1, true);
  return panel("labels", "Labels", "Click a heading to sort, a label to see its curves.", h("div", { class: "tools" }, search, which, said), view.element);
}

function precisionRecall(run: Run, j: number, points: Point[]): HTMLElement {
  const own = run.counts(j);
  const line = points.filter((p) => p.tp + p.fp > 0).map((p) => [recall(run.at(j, p)), precision(run.at(j, p))] as [number, number]);
  return h("div", {}, h("h3", {}, "Precision against recall"), new ChartView({
    label: "Precision against recall", height: 230, x: { title: "recall", low: 0, high: 1 }, y: { title: "precision", low: 0, high: 1 },
    lines: [{ points: line, series: "ours" }],
    marks: [...line.map(([x, y]) => ({ x, y, series: "quiet" as const, text: `recall ${value(x, 3)}, precision ${value(y, 3)}` })),
      ...(own.tp + own.fp > 0 ? [{ x: recall(own), y: precision(own), series: "third" as const, shape: "square" as const,
        text: `as decided: recall ${value(recall(own), 3)}, precision ${value(precision(own), 3)}` }] : [])],
    legend: [{ text: "other thresholds", series: "ours", kind: "line" }, { text: "as decided", series: "third", kind: "square" }],
  }).element);
}

// The metric's ratio of this label against the threshold, with a slider over the recorded ones.
function thresholdChart(run: Run, j: number, points: Point[]): HTMLElement {
  const { metric } = run.report;
  const ratio = ratioOf(metric, j);
  const at = (p: Point): number => ratioValue(ratio, run.at(j, p), zeroDivision(metric));
  const finite = points.filter((p) => Number.isFinite(p.threshold)).reverse();
  const xs = finite.map((p) => p.threshold);
  const own = thresholdOf(run, j);
  const spread = run.report.labels?.spread?.[j];
  const low = Math.min(...xs);
  const room = (Math.max(...xs) - low || 1) * 0.05;
  const ys = finite.map(at).filter(Number.isFinite);
  const title = `${metric.name.replace(/^(micro|macro|weighted|samples)-/, "")} of this label`;
  const chart = new ChartView({
    label: `${title} against its threshold`, height: 230,
    x: { title: "threshold (score)", low: low - room, high: Math.max(...xs) + room }, y: { title, low: Math.min(0, ...ys), high: Math.max(1, ...ys) },
    lines: [{ points: finite.map((p) => [p.threshold, at(p)] as [number, number]).filter(([, y]) => Number.isFinite(y)), series: "ours" }],
    bands: Number.isFinite(own) && typeof spread === "number"
      ? [{ series: "third", points: [Math.max(own - spread, low - room), Math.min(own + spread, Math.max(...xs) + room)].map((x) => [x, Math.min(0, ...ys), Math.max(1, ...ys)] as [number, number, number]) }] : [],
    marks: finite.map((p) => ({ x: p.threshold, y: at(p), series: "quiet" as const, text: `threshold ${short(p.threshold)}: ${value(at(p))}` })).filter((m) => Number.isFinite(m.y)),
    verticals: Number.isFinite(own) && own >= low - room && own <= Math.max(...xs) + room ? [{ x: own, text: "the model's", series: "third" }] : [],
    legend: [{ text: "recorded thresholds", series: "ours", kind: "line" }, { text: "the model's ± spread when tuned on other rows", series: "third", kind: "band" }],
  });
  return h("div", {}, h("h3", {}, "Metric against threshold"), chart.element, thresholdSlider(run, j, points));
}

function thresholdSlider(run: Run, j: number, points: Point[]): HTMLElement {
  const { metric } = run.report;
  const said = h("div", { "aria-live": "polite" });
  const own = thresholdOf(run, j);
  const start = Math.max(0, points.findIndex((p) => p.threshold <= own));
  const slider = h("input", { type: "range", min: 0, max: points.length - 1, step: 1, value: start, "aria-label": `Threshold of ${run.labelName(j)}` });
  const show = (): void => {
    const point = points[Number(slider.value)];
    const c = run.at(j, point);
    const overall = run.evaluate(metric, (k) => (k === j ? c : run.counts(k)));
    slider.setAttribute("aria-valuetext", `threshold ${short(point.threshold)}`);
    said.replaceChildren(table(["at threshold " + short(point.threshold), "TP", "FP", "FN", "P", "R", "F1"],
      [["this label", count(c.tp), count(c.fp), count(c.fn), value(precision(c, NaN), 3), value(recall(c, NaN), 3), value(f1(c, NaN), 3)]], { caption: "Counts at the chosen threshold" }),
    h("p", { class: "hint" }, metric.average === "samples" ? "A samples average needs the rows: it can't be recomputed from counts."
      : `${metric.name} of all labels with this threshold: ${value(overall, 5)}; as decided: ${value(run.report.headline?.value, 5)}.`));
  };
  slider.addEventListener("input", show);
  show();
  return h("div", { class: "slider" }, slider, said);
}

// Details of one label beside the page.
export class Drawer {
  readonly element = h("dialog", { class: "drawer", "aria-labelledby": "drawer-title" });

  constructor(private readonly run: Run) {
    this.element.addEventListener("click", (event) => { if (event.target === this.element) this.element.close(); });
  }

  open = (j: number): void => {
    const { run } = this;
    const c = run.counts(j);
    const points = run.hasCurves ? run.curve(j) : [];
    const charts: Child[] = points.length > 1 ? [precisionRecall(run, j, points), thresholdChart(run, j, points)]
      : [h("p", { class: "hint" }, run.hasCurves ? "No positive row here: there is no curve to draw." : "No scores were recorded: no curves.")];
    this.element.replaceChildren(h("div", { class: "sheet" },
      h("header", {}, h("h2", { id: "drawer-title" }, run.labelName(j)), h("button", { type: "button", class: "button", onclick: () => this.element.close() }, "Close")),
      table(["", "TP", "FP", "FN", "P", "R", "F1"], [
        ["as decided", count(c.tp), count(c.fp), count(c.fn), value(precision(c, NaN), 3), value(recall(c, NaN), 3), value(f1(c, NaN), 3)],
        ...this.untuned(j)], { caption: "Counts of this label" }),
      h("p", { class: "hint" }, `${percent(run.support(j) / rowsOf(run, j))} of the rows have it, ${percent((c.tp + c.fp) / rowsOf(run, j))} are given it.`),
      ...charts, this.confusions(j), this.features(j)));
    this.element.showModal();
    this.element.scrollTop = 0;
  };

  private untuned(j: number): Child[][] {
    const c = this.run.untuned(j);
    return c === null ? [] : [["probability ≥ 0.5", count(c.tp), count(c.fp), count(c.fn), value(precision(c, NaN), 3), value(recall(c, NaN), 3), value(f1(c, NaN), 3)]];
  }

  private confusions(j: number): Child {
    const pairs = (this.run.report.rows?.confusions ?? []).filter(([missed, given]) => missed === j || given === j).slice(0, 10);
    if (pairs.length === 0) return null;
    return h("div", {}, h("h3", {}, "Mixed up with"), table(["other label", "what happened", "rows"], pairs.map(([missed, given, n]) =>
      missed === j ? [this.run.labelName(given), "given in its place", count(n)] : [this.run.labelName(missed), "missed where this was given", count(n)]), { caption: "Mix-ups" }));
  }

  private features(j: number): Child {
    const labels = this.run.report.labels!;
    const flat = labels.features?.[j];
    if (flat === undefined || labels.feature_names === undefined) return null;
    const rows: Child[][] = [];
    for (let k = 0; k + 1 < flat.length; k += 2) rows.push([labels.feature_names[flat[k]], short(flat[k + 1])]);
    return rows.length === 0 ? null : h("div", {}, h("h3", {}, "Heaviest features"), table(["feature", "weight"], rows, { caption: "Heaviest features" }));
  }
}
