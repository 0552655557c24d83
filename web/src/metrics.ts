// Metric values from counts, in the program's own order of operations (eval/evaluate.cpp), so that both agree to
// the last digit.
import type { Metric, Weights } from "./schema";

export interface Counts { tp: number; fp: number; fn: number; tn: number }
// Counts of label j.
export type CountsOf = (j: number) => Counts;

const PRECISION: [Weights, Weights] = [[1, 0, 0, 0], [1, 1, 0, 0]];
const RECALL: [Weights, Weights] = [[1, 0, 0, 0], [1, 0, 1, 0]];
const F1: [Weights, Weights] = [[2, 0, 0, 0], [2, 1, 1, 0]];
const JACCARD: [Weights, Weights] = [[1, 0, 0, 0], [1, 1, 1, 0]];
const ACCURACY: [Weights, Weights] = [[1, 0, 0, 1], [1, 1, 1, 1]];

export function combine(w: Weights, c: Counts): number {
  return w[0] * c.tp + w[1] * c.fp + w[2] * c.fn + w[3] * c.tn;
}

export function ratioOf(metric: Metric, label: number): [Weights, Weights] {
  return metric.ratios.length === 1 ? metric.ratios[0] : metric.ratios[label];
}

export function zeroDivision(metric: Metric): number {
  return metric.zero_division === null ? NaN : metric.zero_division;
}

export function ratioValue(ratio: [Weights, Weights], c: Counts, whenZero: number): number {
  const below = combine(ratio[1], c);
  return below === 0 ? whenZero : combine(ratio[0], c) / below;
}

export const precision = (c: Counts, whenZero = 0): number => ratioValue(PRECISION, c, whenZero);
export const recall = (c: Counts, whenZero = 0): number => ratioValue(RECALL, c, whenZero);
export const f1 = (c: Counts, whenZero = 0): number => ratioValue(F1, c, whenZero);

// NaN for a samples average: rows are not in the counts.
export function evaluateCounts(metric: Metric, labels: number, counts: CountsOf, weightOf: (j: number) => number): number {
  const whenZero = zeroDivision(metric);
  if (metric.average === "samples" || labels === 0) return NaN;
  if (metric.average === "micro") {
    let above = 0;
    let below = 0;
    for (let j = 0; j < labels; ++j) {
      const [numerator, denominator] = ratioOf(metric, j);
      const c = counts(j);
      above += weightOf(j) * combine(numerator, c);
      below += weightOf(j) * combine(denominator, c);
    }
    return below === 0 ? whenZero : above / below;
  }
  let weighted = 0;
  let weightSum = 0;
  let plain = 0;
  let defined = 0;
  for (let j = 0; j < labels; ++j) {
    const c = counts(j);
    const value = ratioValue(ratioOf(metric, j), c, whenZero);
    if (Number.isNaN(value)) continue;
    const weight = (metric.average === "weighted" ? c.tp + c.fn : 1) * weightOf(j);
    weighted += weight * value;
    weightSum += weight;
    plain += value;
    ++defined;
  }
  if (defined === 0) return NaN;
  return weightSum > 0 ? weighted / weightSum : plain / defined;
}

// What the trade-off panel recomputes besides the run's own metric.
export function standardMetrics(zero: number | null): Metric[] {
  const ratios: [string, [Weights, Weights]][] = [["f1", F1], ["jaccard", JACCARD], ["precision", PRECISION], ["recall", RECALL]];
  const all: Metric[] = [];
  for (const average of ["micro", "macro", "weighted"] as const)
    for (const [name, ratio] of ratios)
      all.push({ name: `${average}-${name}`, average, formula: "", zero_division: zero, ratios: [ratio] });
  all.push({ name: "hamming-accuracy", average: "micro", formula: "", zero_division: zero, ratios: [ACCURACY] });
  return all;
}
