// The page's panels about one run, in the order in which they are read.
import { BarView, ChartView, type Mark } from "./chart";
import { type Child, h, panel, table } from "./dom";
import { count, percent, plural, short, signed, summary, value } from "./format";
import { f1 } from "./metrics";
import { fixedPoint, type Run } from "./run";

const AVERAGES = ["micro", "macro", "weighted", "samples"];
const RATIOS = ["f1", "jaccard", "precision", "recall"];

function headlineChart(run: Run): HTMLElement {
  const head = run.report.headline!;
  const bars: { name: string; value: number; low?: number | null; high?: number | null; series: "ours" | "base" }[] = [
    { name: "this model", value: head.value ?? NaN, low: head.interval?.[0], high: head.interval?.[1], series: "ours" },
    ...head.baselines.map((b) => ({ name: b.name, value: b.value ?? NaN, series: "base" as const })),
  ];
  const most = Math.max(...bars.map((bar) => Math.max(bar.value, bar.high ?? 0)), 1e-9);
  return h("ul", { class: "ranking", "aria-label": "This model beside its baselines" }, ...bars.map((bar) => {
    const fill = h("span", { class: `fill ${bar.series}` });
    fill.style.width = `${(100 * Math.max(0, bar.value)) / most}%`;
    const track = h("span", { class: "track", "aria-hidden": "true" }, fill);
    if (typeof bar.low === "number" && typeof bar.high === "number") {
      const whisker = h("span", { class: "whisker" });
      whisker.style.left = `${(100 * bar.low) / most}%`;
      whisker.style.width = `${(100 * (bar.high - bar.low)) / most}%`;
      track.append(whisker);
    }
    return h("li", {}, h("span", { class: "who" }, bar.name), track, h("span", { class: "figure" }, value(bar.value)));
  }));
}

export function headline(run: Run): HTMLElement {
  const { metric, headline: head, metrics, rows_are: rowsAre, rows, search } = run.report;
  const definition = h("p", { class: "hint" }, `${metric.name} = ${metric.formula}, ${metric.average} average; 0/0 counts as ${
    metric.zero_division === null ? "left out" : short(metric.zero_division)}.`);
  if (head === undefined) {
    const held = search?.out_of_fold;
    return panel("headline", "The result", "", held !== undefined && h("p", { class: "big" }, value(held.value),
      h("small", {}, `${held.metric}, ${held.on ?? "held out"}${held.spread !== undefined ? `, ± ${value(held.spread)} over folds` : ""}`)), definition);
  }
  const interval = head.interval !== undefined && head.interval[0] !== null
    ? `95 % interval ${value(head.interval[0])} – ${value(head.interval[1])}` : "no interval";
  const standard = new Map((metrics ?? []).map((m) => [m.name, m.value]));
  const grid = AVERAGES.map((average) => [average, ...RATIOS.map((ratio) => {
    const name = `${average}-${ratio}`;
    return name === metric.name ? h("strong", { title: "what was optimised" }, value(standard.get(name))) : value(standard.get(name));
  })]);
  return panel("headline", "The result", "", h("div", { class: "columns" },
    h("div", {},
      h("p", { class: "big" }, value(head.value), h("small", {}, `${metric.name} · ${interval}`)),
      definition,
      h("p", { class: "hint" }, `On ${plural(rows?.count ?? 0, "row")} (${rowsAre ?? "rows given"}).`),
      headlineChart(run)),
    h("div", {},
      table(["", ...RATIOS], grid, { caption: "Other averages: what was traded" }),
      h("p", { class: "hint" }, `hamming-accuracy ${value(standard.get("hamming-accuracy"))}, subset-accuracy ${value(standard.get("subset-accuracy"))}`),
      head.baselines.length > 0 && table(["baseline on the same scores", "value", "ours is ahead by (95 %)"], head.baselines.map((b) =>
        [h("span", { title: b.meaning }, b.name), value(b.value), b.ahead === undefined ? "–" : `${signed(b.ahead[0])} … ${signed(b.ahead[1])}`]),
      { caption: "Baselines" }),
      head.baselines.length > 0 && h("p", { class: "hint" }, head.baselines.map((b) => `${b.name}: ${b.meaning}`).join("; "), "."))));
}

export function confusions(run: Run, open: (label: number) => void): HTMLElement | null {
  const rows = run.report.rows;
  if (rows === undefined) return null;
  const link = (label: number): Child => h("button", { type: "button", class: "link", onclick: () => open(label) }, run.labelName(label));
  const first = 12;
  const body = (pairs: typeof rows.confusions): HTMLElement => table(["missed this", "gave that instead", "rows", "of those with the missed label"],
    pairs.map(([missed, given, n]) => [link(missed), link(given), count(n), percent(n / run.support(missed))]), { caption: "Most frequent mix-ups" });
  const rest = rows.confusions.length > first && h("details", {}, h("summary", {}, `All ${rows.confusions.length} pairs recorded`), body(rows.confusions.slice(first)));
  return panel("confusions", "Missed this, gave that instead",
    "Rows in which a true label was missed while another was given that is not true." + (rows.confusions_skipped > 0
      ? ` ${plural(rows.confusions_skipped, "row")} with very many errors left out.` : ""),
    rows.confusions.length > 0 ? body(rows.confusions.slice(0, first)) : h("p", {}, "No row has both kinds of error."), rest);
}

const MOST_DOTS = 1500;

// Median F1 of labels with about the same number of positives, for pictures of very many labels.
function binned(run: Run, valueOf: (j: number) => number, labels: number[]): [number, number, number, number][] {
  const bins = new Map<number, { x: number[]; y: number[] }>();
  for (const j of labels) {
    const key = Math.round(Math.log2(run.support(j)) * 2);
    const bin = bins.get(key) ?? { x: [], y: [] };
    bin.x.push(run.support(j));
    bin.y.push(valueOf(j));
    bins.set(key, bin);
  }
  const quantile = (sorted: number[], q: number): number => sorted[Math.floor(q * (sorted.length - 1))];
  return [...bins.entries()].sort((a, b) => a[0] - b[0]).map(([, bin]) => {
    const y = bin.y.sort((a, b) => a - b);
    return [bin.x.reduce((a, b) => a + b, 0) / bin.x.length, quantile(y, 0.25), quantile(y, 0.5), quantile(y, 0.75)];
  });
}

export function supportChart(run: Run): HTMLElement | null {
  if (run.report.labels === undefined) return null;
  const labels = Array.from({ length: run.labels }, (_, j) => j).filter((j) => run.support(j) > 0);
  if (labels.length === 0) return panel("support", "F1 against support", "", h("p", {}, "No label has a positive row here."));
  const many = labels.length > MOST_DOTS;
  const hasBase = run.report.labels.untuned_tp !== undefined;
  const base = (j: number): number => f1(run.untuned(j)!);
  const marks: Mark[] = [];
  if (!many) {
    for (const j of labels) {
      if (hasBase) marks.push({ x: run.support(j), y: base(j), series: "base", shape: "ring", text: `${run.labelName(j)}: F1 ${value(base(j))} at probability 0.5, support ${count(run.support(j))}` });
    }
    for (const j of labels) marks.push({ x: run.support(j), y: run.f1(j), series: "ours", shape: "dot", text: `${run.labelName(j)}: F1 ${value(run.f1(j))}, support ${count(run.support(j))}` });
  }
  const ours = many ? binned(run, (j) => run.f1(j), labels) : [];
  const theirs = many && hasBase ? binned(run, base, labels) : [];
  const supports = labels.map((j) => run.support(j));
  const low = Math.min(...[supports.reduce((a, b) => Math.min(a, b), Infinity)]);
  const high = supports.reduce((a, b) => Math.max(a, b), 0);
  const chart = new ChartView({
    label: "F1 of each label against its number of positive rows",
    x: { title: "positive rows of the label (log scale)", low: Math.max(low * 0.85, 0.5), high: Math.max(high * 1.15, low * 2), log: true, format: count },
    y: { title: "F1", low: 0, high: 1 },
    marks,
    bands: many ? [{ series: "ours", points: ours.map(([x, a, , b]) => [x, a, b] as [number, number, number]) }] : [],
    lines: many ? [
      { series: "ours", points: ours.map(([x, , m]) => [x, m] as [number, number]) },
      { series: "base", dashed: true, points: theirs.map(([x, , m]) => [x, m] as [number, number]) }] : [],
    legend: many
      ? [{ text: "this model, median", series: "ours", kind: "line" }, { text: "its middle half", series: "ours", kind: "band" },
        ...(hasBase ? [{ text: "probability ≥ 0.5, median", series: "base" as const, kind: "dashed" as const }] : [])]
      : [{ text: "this model", series: "ours", kind: "dot" }, ...(hasBase ? [{ text: "probability ≥ 0.5", series: "base" as const, kind: "ring" as const }] : [])],
  });
  return panel("support", "F1 against support", "Rare labels are where thresholds matter: the further left a dot, the fewer rows the label has.", chart.element);
}

const middle = (x: unknown): number => Array.isArray(x) ? Number(x[1]) : typeof x === "number" ? x : NaN;

export function lambdaChart(run: Run): HTMLElement | null {
  const steps = (run.report.search?.lambda?.steps ?? [])
    .map((step) => ({ x: middle(step.lambda), y: middle(step.metric) })).filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
  const curve: [number, number][] = [];
  if (run.hasCurves && run.report.metric.average !== "samples") {
    const grid = run.labels > 5000 ? 20 : 50;
    for (let k = 0; k <= grid; ++k) {
      const y = run.valueAtLambda(run.report.metric, k / grid);
      if (Number.isFinite(y)) curve.push([k / grid, y]);
    }
  }
  if (curve.length === 0 && steps.length === 0) return null;
  const fixed = fixedPoint(curve);
  const all = [...curve.map(([, y]) => y), ...steps.map((p) => p.y), 1];
  const chart = new ChartView({
    label: `${run.report.metric.name} against λ`,
    x: { title: "λ", low: 0, high: 1 },
    y: { title: run.report.metric.name, low: Math.min(0, ...all), high: Math.max(...all) },
    lines: [{ points: [[0, 0], [1, 1]], series: "quiet", dashed: true }, { points: curve, series: "ours" }],
    marks: steps.map((p, k) => ({ ...p, series: "third" as const, shape: "square" as const, text: `search step ${k + 1}: λ ${short(p.x)}, held-out ${run.report.metric.name} ${value(p.y)}` })),
    verticals: fixed === null ? [] : [{ x: fixed, text: `λ = ${value(fixed, 3)}`, series: "ours" }],
    legend: [
      ...(curve.length > 0 ? [{ text: "best recorded thresholds at λ, on these rows", series: "ours" as const, kind: "line" as const }] : []),
      { text: "metric = λ", series: "quiet", kind: "dashed" },
      ...(steps.length > 0 ? [{ text: "steps of the search, held out", series: "third" as const, kind: "square" as const }] : [])],
  });
  return panel("lambda", "λ against the metric",
    "λ is the price at which errors are traded. The best λ is the value that it achieves: where the curve meets the diagonal.", chart.element);
}

export function choices(run: Run): HTMLElement | null {
  const search = run.report.search;
  if (search === undefined || Object.keys(search).length === 0) return null;
  const rows: Child[][] = [];
  const held = search.out_of_fold;
  if (search.method !== undefined) rows.push(["method", `${search.method}, ${search.effort ?? ""} effort, ${search.folds === 1 ? "a validation file" : `${search.folds ?? "?"} folds`}`, ""]);
  if (search.feature_map !== undefined) {
    const candidates = search.feature_map.candidates ?? [];
    rows.push(["feature map", search.feature_map.chosen, candidates.map((c) => `${c.map} ${value(c.log_loss)}`).join(", ") + " held-out log-loss"]);
  }
  for (const learner of search.learners ?? [])
    rows.push([learner.name ?? learner.learner ?? "learner", `weight ${value(learner.weight, 3)} in the blend`, learner.log_loss !== undefined ? `${value(learner.log_loss)} held-out log-loss` : ""]);
  for (const loss of search.losses ?? []) {
    const at = loss.path?.find((p) => p.rho === loss.rho);
    rows.push([loss.loss, `L2 ρ = ${short(loss.rho)}`, `${value(at?.log_loss)} held-out log-loss, ${plural(loss.path?.length ?? 0, "strength")} tried`]);
  }
  if (search.lambda !== undefined) rows.push(["λ", summary(search.lambda.chosen), plural(search.lambda.steps.length, "step")]);
  if (search.label_mix !== undefined) rows.push(["label mix", "yes", `held-out log-loss ${value(search.label_mix.log_loss_before)} → ${value(search.label_mix.log_loss_after)}`]);
  if (search.rule !== undefined) rows.push(["rule", `${search.rule.chosen}, at least ${plural(search.rule.min_labels ?? 0, "label")} per row`, search.rule.value !== undefined ? `${value(search.rule.value)} on the rows it was fitted on` : ""]);
  if (search.subject_to !== undefined) rows.push(["subject to", search.subject_to.constraint, `${value(search.subject_to.value)} held out`]);
  if (held !== undefined) rows.push(["the whole", `${held.metric} ${value(held.value)}`, `${held.on ?? "held out"}${held.spread !== undefined ? `, ± ${value(held.spread)} over folds` : ""}`]);
  return panel("choices", "What the search chose", "Every choice was made on rows held out of the fit, never on the rows reported here.",
    table(["what", "chosen", "on held-out rows"], rows, { caption: "Choices of the search", numbers: false }), lossPaths(run));
}

function lossPaths(run: Run): HTMLElement | null {
  const losses = (run.report.search?.losses ?? []).filter((loss) => (loss.path?.length ?? 0) > 1);
  if (losses.length === 0) return null;
  const points = losses.flatMap((loss) => loss.path!.map((p) => ({ x: p.rho, y: p.log_loss, name: loss.loss })));
  const xs = points.map((p) => p.x);
  const ys = points.map((p) => p.y);
  const spread = Math.max(...ys) - Math.min(...ys) || 0.1;
  const series = ["ours", "third", "base", "quiet"] as const;
  return h("details", {}, h("summary", {}, "Held-out log-loss along the L2 path"), new ChartView({
    label: "Held-out log-loss against the strength of L2", height: 240,
    x: { title: "L2 ρ (log scale)", low: Math.min(...xs) / 1.3, high: Math.max(...xs) * 1.3, log: true },
    y: { title: "log-loss", low: Math.min(...ys) - spread / 10, high: Math.max(...ys) + spread / 10 },
    lines: losses.map((loss, k) => ({ series: series[k % 4], points: loss.path!.map((p) => [p.rho, p.log_loss] as [number, number]).sort((a, b) => a[0] - b[0]) })),
    marks: points.map((p) => ({ x: p.x, y: p.y, series: series[losses.findIndex((l) => l.loss === p.name) % 4], text: `${p.name}: ρ ${short(p.x)}, log-loss ${value(p.y)}` })),
    legend: losses.map((loss, k) => ({ text: loss.loss, series: series[k % 4], kind: "line" as const })),
  }).element);
}

export function labelsPerRow(run: Run): HTMLElement | null {
  const rows = run.report.rows;
  if (rows === undefined) return null;
  const name = (k: number): string => `${k}${k === rows.labels_most ? "+" : ""}`;
  const chart = new BarView({
    label: "Rows by their number of labels, true and predicted", height: 260,
    x: { title: "labels of a row", low: 0, high: 1 },
    y: { title: "rows", low: 0, high: Math.max(1, ...rows.labels_true, ...rows.labels_predicted), format: count },
    legend: [{ text: "true", series: "base", kind: "bar" }, { text: "predicted", series: "ours", kind: "bar" }],
  }, [{ values: rows.labels_true, series: "base" }, { values: rows.labels_predicted, series: "ours" }], name);
  return panel("per-row", "Labels per row", "Do rows get as many labels as they have?", chart.element);
}

export function worstRows(run: Run): HTMLElement | null {
  const rows = run.report.rows;
  if (rows === undefined) return null;
  const names = (labels: number[]): string => labels.map((j) => run.labelName(j)).join(", ") || "none";
  const examples = rows.examples !== undefined && h("details", { open: true }, h("summary", {}, "Their content"),
    ...rows.examples.map((e) => h("article", { class: "example" }, h("h3", {}, `Row ${count(e.row)}`),
      h("p", {}, h("b", {}, "true: "), names(e.truth)), h("p", {}, h("b", {}, "predicted: "), names(e.predicted)), h("p", { class: "content" }, e.content))));
  return panel("worst", "Worst rows", rows.examples === undefined
    ? "By number only: the report holds no rows. Ask for their content with --examples N." : "Rows with most errors, counted from 1.",
    rows.worst.length === 0 ? h("p", {}, "Every row is right.")
      : table(["row", "right", "missed", "wrong"], rows.worst.slice(0, 15).map((w) => [count(w[0]), ...w.slice(1).map(count)]), { caption: "Rows with most errors" }), examples);
}

export function dataCard(run: Run): HTMLElement | null {
  const { data, warnings, missing } = run.report;
  const list = (items: string[] | undefined, title: string, kind: string): Child => items !== undefined && items.length > 0
    && h("div", { class: kind, role: "note" }, h("h3", {}, title), h("ul", {}, ...items.map((text) => h("li", {}, text))));
  const facts: Child[][] = data === undefined ? [] : [
    ["rows", count(data.rows)], ["labels", count(data.labels)],
    ["features", data.features !== undefined ? `${count(data.features.count)}, ${data.features.sparse ? "sparse" : "dense"}, ${percent(data.features.density)} not zero${
      data.features.missing > 0 ? `, ${percent(data.features.missing)} missing` : ""}` : `raw text, ${count(Math.round(data.text?.mean_document_bytes ?? 0))} bytes per row`],
    ["labels per row", `${data.cardinality.toFixed(3)} on average, at most ${count(data.most_labels)}; ${plural(data.empty_rows, "row")} without any`],
    ["label sets", plural(data.label_sets, "different one")],
    ["rare labels", `${count(data.rare_count)} with fewer than 20 rows; ${count(data.never_positive_count)} with none; ${count(data.always_positive_count)} in every row`],
    ["most frequent", data.most_frequent.map((l) => `${l.name} (${count(l.positives)})`).join(", ")],
    ["fingerprint", data.fingerprint]];
  if (facts.length === 0 && !warnings?.length && !missing?.length) return null;
  return panel("data", "Data and warnings", "", list(missing, "Not in this report", "missing"), list(warnings, "Warnings", "warning"),
    facts.length > 0 && table(["", "the rows of this report"], facts, { caption: "Data card", numbers: false }));
}
