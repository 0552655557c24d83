// Reports to look at: a small model trained on made-up rows whose labels have hostile names, and a made-up report
// of very many labels.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const HOSTILE = ["plain", "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "=cmd|'/c calc'!A1",
  "\"quoted\", with comma", "+1+1", "\u2028line\u2029paragraph", "\u001b[31mred", "@SUM(A1)", "<!-- comment", "a&amp;b", "rare"];

export function folder() {
  const path = mkdtempSync(join(tmpdir(), "mmo-web-"));
  return { path, file: (name) => join(path, name), remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function mmo(at, ...args) {
  return execFileSync(process.env.MMO_BINARY, args, { cwd: at, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

// Numbers from 0 to 1, the same on every machine.
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

const cell = (text) => `"${text.replaceAll('"', '""')}"`;

export function rowsCsv(names, rows, seed) {
  const next = random(seed);
  const features = 8;
  const lines = [[...Array.from({ length: features }, (_, k) => `f${k}`), ...names.map(cell)].join(",")];
  for (let i = 0; i < rows; ++i) {
    const x = Array.from({ length: features }, () => next() + next() + next() - 1.5);
    const y = names.map((_, j) => (x[j % features] + 0.6 * (next() - 0.5) > 0.25 + 0.07 * j ? 1 : 0));
    lines.push([...x.map((v) => v.toFixed(4)), ...y].join(","));
  }
  return lines.join("\n") + "\n";
}

// Trains on hostile names; returns the folder with train.csv, test.csv, m.mmo, and report.html / report.json.
export function trained(metric = "micro-f1") {
  const at = folder();
  writeFileSync(at.file("train.csv"), rowsCsv(HOSTILE, 400, 1));
  writeFileSync(at.file("test.csv"), rowsCsv(HOSTILE, 300, 2));
  const last = ["--labels", `last:${HOSTILE.length}`];
  mmo(at.path, "train", "train.csv", ...last, "--metric", metric, "--effort", "quick", "--model", "m.mmo");
  mmo(at.path, "evaluate", "m.mmo", "test.csv", ...last, "--report", "report.html", "--examples", "3");
  mmo(at.path, "evaluate", "m.mmo", "test.csv", ...last, "--report", "report.json");
  return { ...at, labels: last, report: JSON.parse(readFileSync(at.file("report.json"), "utf8")) };
}

// A report of `count` labels with counts and curves that fit each other.
export function manyLabels(count) {
  const next = random(7);
  const labels = { names: [], tp: [], fp: [], fn: [], tn: [], untuned_tp: [], untuned_fp: [], untuned_fn: [], untuned_tn: [],
    thresholds: [], spread: [], curves: [] };
  const rows = 50000;
  for (let j = 0; j < count; ++j) {
    const support = 1 + Math.floor(3000 * next() ** 6);
    const tp = Math.floor(support * next());
    const fp = Math.floor(support * next());
    const untuned = Math.floor(tp / 2);
    labels.names.push(`label ${j}`);
    for (const [column, value] of [["tp", tp], ["fp", fp], ["fn", support - tp], ["tn", rows - support - fp],
      ["untuned_tp", untuned], ["untuned_fp", 0], ["untuned_fn", support - untuned], ["untuned_tn", rows - support]]) labels[column].push(value);
    labels.thresholds.push(-1.25);
    labels.spread.push(0.1);
    const curve = [];
    for (let k = 0; k < 8; ++k) curve.push(2 - k / 2, Math.floor(support / 8), Math.floor((support * k) / 4));
    labels.curves.push(curve);
  }
  return {
    format: "mmo-report", schema: 1, version: "0.1.0", source: "many.svm", command: "mmo evaluate", rows_are: "made up", seed: 0, weighted: false,
    metric: { name: "micro-f1", average: "micro", formula: "2·TP / (2·TP + FP + FN)", zero_division: 0, ratios: [[[2, 0, 0, 0], [2, 1, 1, 0]]] },
    headline: { value: 0.5, baselines: [] }, metrics: [], labels, warnings: [], missing: [],
    rows: { count: rows, labels_true: [1, 2], labels_predicted: [2, 1], labels_most: 40, confusions: [], confusions_skipped: 0, worst: [] },
  };
}
