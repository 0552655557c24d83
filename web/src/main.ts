// Puts the page together from the JSON inside it.
import { comparison } from "./compare";
import { h, panel } from "./dom";
import { csv, downloadButton } from "./download";
import { f1, precision, recall } from "./metrics";
import { Drawer, labelPanel, thresholdOf } from "./labels";
import { choices, confusions, dataCard, headline, labelsPerRow, lambdaChart, supportChart, worstRows } from "./panels";
import { Run } from "./run";
import type { Report } from "./schema";
import { tradeoff } from "./tradeoff";
import { value } from "./format";

function labelsCsv(run: Run): string {
  const rows: (string | number)[][] = [["label", "support", "TP", "FP", "FN", "TN", "precision", "recall", "F1", "threshold", "spread"]];
  for (let j = 0; j < run.labels; ++j) {
    const c = run.counts(j);
    rows.push([run.labelName(j), run.support(j), c.tp, c.fp, c.fn, c.tn, precision(c, NaN), recall(c, NaN), f1(c, NaN),
      thresholdOf(run, j), run.report.labels?.spread?.[j] ?? NaN]);
  }
  return csv(rows);
}

function again(run: Run): HTMLElement {
  const { command, version, seed, data, search } = run.report;
  const facts: [string, string][] = [["written by", `mmo ${version}`], ["seed", String(seed ?? search?.seed ?? "–")]];
  if (search?.version !== undefined) facts.push(["model trained by", `mmo ${search.version}, ${search.method ?? ""}, seed ${search.seed ?? "–"}`]);
  if (data !== undefined) facts.push(["data", `${data.source}, fingerprint ${data.fingerprint}`]);
  return panel("again", "Do it again", "", command !== "" && h("pre", { tabindex: 0, "aria-label": "Command" }, h("code", {}, command)),
    h("dl", {}, ...facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])));
}

function downloads(run: Run): HTMLElement {
  return panel("downloads", "Downloads", "Made on this page; nothing is fetched or sent.", h("div", { class: "tools" },
    run.labels > 0 && downloadButton("Labels (CSV)", "labels.csv", "text/csv", () => labelsCsv(run)),
    downloadButton("Report (JSON)", "report.json", "application/json", () => JSON.stringify(run.report)),
    h("button", { type: "button", class: "button", onclick: () => window.print() }, "Print")));
}

function showRun(run: Run, into: HTMLElement): void {
  const drawer = new Drawer(run);
  const parts = [
    () => headline(run),
    () => run.report.headline === undefined ? dataCard(run) : null, // what is missing comes first where most is
    () => labelPanel(run, drawer.open),
    () => confusions(run, drawer.open),
    () => supportChart(run),
    () => lambdaChart(run),
    () => choices(run),
    () => labelsPerRow(run),
    () => worstRows(run),
    () => tradeoff(run),
    () => run.report.headline === undefined ? null : dataCard(run),
    () => again(run),
    () => downloads(run),
  ];
  into.replaceChildren(drawer.element);
  // The first panels at once, the others after they have been painted.
  const first = parts.splice(0, 3);
  const add = (part: () => HTMLElement | null): void => {
    const element = part();
    if (element !== null) into.append(element);
  };
  first.forEach(add);
  const rest = (): void => {
    const part = parts.shift();
    if (part === undefined) {
      document.documentElement.dataset.ready = "true";
      return;
    }
    add(part);
    setTimeout(rest, 0);
  };
  delete document.documentElement.dataset.ready;
  requestAnimationFrame(() => setTimeout(rest, 0));
}

// A file's name without its folder; numbered where two runs would have the same.
function namesOf(reports: Report[]): string[] {
  const seen = new Map<string, number>();
  return reports.map((report) => {
    const name = `${report.name ?? report.search?.method ?? report.source.split("/").pop() ?? "run"}`;
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before === 0 ? name : `${name} (${before + 1})`;
  });
}

function start(): void {
  const page = document.getElementById("report")!;
  const { runs: reports } = JSON.parse(document.getElementById("data")!.textContent!) as { runs: Report[] };
  const names = namesOf(reports);
  const runs = reports.map((report, k) => new Run(report, names[k]));
  const [first] = runs;
  document.title = `${first.report.metric.name} ${value(first.report.headline?.value)} · ${first.report.source}`;
  page.append(h("header", { class: "top" }, h("h1", {}, first.report.source.split("/").pop() ?? ""),
    h("p", {}, `MMO report · trained and judged by ${first.report.metric.name}`)));
  const body = h("div", { class: "run" });
  if (runs.length > 1) {
    page.append(comparison(runs));
    const select = h("select", { id: "run-select", onchange: () => showRun(runs[Number(select.value)], body) },
      ...runs.map((run, k) => h("option", { value: k }, run.name)));
    page.append(h("div", { class: "tools pick" }, h("label", { for: "run-select" }, "Show run"), select));
  }
  page.append(body, h("footer", {}, `Written by mmo ${first.report.version}. This file is complete: it loads nothing and sends nothing.`));
  showRun(first, body);
}

start();
