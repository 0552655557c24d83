// One report, unpacked for quick access: counts of labels and the thresholds recorded for each.
import { combine, type Counts, evaluateCounts, f1, ratioOf } from "./metrics";
import type { Metric, Report } from "./schema";

export interface Point { threshold: number; tp: number; fp: number } // threshold Infinity: never predicted

export class Run {
  readonly labels: number;
  private readonly curves: (Point[] | undefined)[] = [];

  constructor(readonly report: Report, readonly name: string) {
    this.labels = report.labels?.names.length ?? 0;
  }

  get hasCurves(): boolean { return this.report.labels?.curves !== undefined; }
  labelName(j: number): string { return this.report.labels?.names[j] ?? String(j); }

  counts(j: number): Counts {
    const l = this.report.labels!;
    return { tp: l.tp[j], fp: l.fp[j], fn: l.fn[j], tn: l.tn[j] };
  }

  // Decisions by probability ≥ 0.5; null without scores.
  untuned(j: number): Counts | null {
    const l = this.report.labels!;
    return l.untuned_tp === undefined ? null
      : { tp: l.untuned_tp[j], fp: l.untuned_fp![j], fn: l.untuned_fn![j], tn: l.untuned_tn![j] };
  }

  // The program holds label weights as 32-bit floats.
  weight = (j: number): number => {
    const weights = this.report.labels?.weights;
    return weights === undefined ? 1 : Math.fround(weights[j]);
  };

  // From "never predicted" down to the lowest threshold recorded.
  curve(j: number): Point[] {
    const known = this.curves[j];
    if (known !== undefined) return known;
    const flat = this.report.labels?.curves?.[j] ?? [];
    const points: Point[] = [{ threshold: Infinity, tp: 0, fp: 0 }];
    for (let k = 0; k + 2 < flat.length; k += 3) {
      const before = points[points.length - 1];
      points.push({ threshold: flat[k], tp: before.tp + flat[k + 1], fp: before.fp + flat[k + 2] });
    }
    this.curves[j] = points;
    return points;
  }

  at(j: number, point: Point): Counts {
    const own = this.counts(j);
    return { tp: point.tp, fp: point.fp, fn: own.tp + own.fn - point.tp, tn: own.fp + own.tn - point.fp };
  }

  // The point that is worth most at λ: numerator − λ·denominator of the metric's ratio. Of equals the strictest.
  bestAt(j: number, lambda: number): number {
    const [numerator, denominator] = ratioOf(this.report.metric, j);
    const points = this.curve(j);
    let best = 0;
    let most = -Infinity;
    for (let k = 0; k < points.length; ++k) {
      const c = this.at(j, points[k]);
      const worth = combine(numerator, c) - lambda * combine(denominator, c);
      if (worth > most) {
        most = worth;
        best = k;
      }
    }
    return best;
  }

  evaluate(metric: Metric, counts: (j: number) => Counts = (j) => this.counts(j)): number {
    return evaluateCounts(metric, this.labels, counts, this.weight);
  }

  // The run's metric where every label takes its best recorded threshold at λ.
  valueAtLambda(metric: Metric, lambda: number): number {
    return this.evaluate(metric, (j) => this.at(j, this.curve(j)[this.bestAt(j, lambda)]));
  }

  support(j: number): number { return this.report.labels!.tp[j] + this.report.labels!.fn[j]; }
  f1(j: number): number { return f1(this.counts(j)); }
}

// The λ that is its own result: where metric(λ) − λ changes its sign; null if nowhere.
export function fixedPoint(points: [number, number][]): number | null {
  for (let k = 0; k + 1 < points.length; ++k) {
    const here = points[k][1] - points[k][0];
    const next = points[k + 1][1] - points[k + 1][0];
    if (here >= 0 && next < 0) return points[k][0] + (points[k + 1][0] - points[k][0]) * (here / (here - next));
  }
  return null;
}
