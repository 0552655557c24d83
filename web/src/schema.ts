// The report's JSON, schema 1, as `mmo … --report FILE.json` writes it (src/mmo/report/run_report.h).
// Counts are sums of row weights: whole numbers without weights. null stands for NaN or infinity.

export type Weights = [number, number, number, number]; // of TP, FP, FN, TN

export interface Metric {
  name: string;
  average: "micro" | "macro" | "samples" | "weighted";
  formula: string;
  zero_division: number | null; // value of 0/0; null leaves that label or row out
  ratios: [Weights, Weights][]; // numerator and denominator; one for all labels, or one per label
}

export interface Baseline {
  name: string;
  meaning: string;
  value: number | null;
  ahead?: [number | null, number | null]; // 95 % interval of ours − baseline on the same resamples
}

export interface Headline {
  value: number | null;
  interval?: [number | null, number | null]; // 95 %, bootstrap over rows
  replicates?: (number | null)[]; // the metric on each resample, for paired intervals between reports
  baselines: Baseline[];
}

// One entry per label in every column.
export interface LabelColumns {
  names: string[];
  tp: number[];
  fp: number[];
  fn: number[];
  tn: number[];
  untuned_tp?: number[]; // decisions by score ≥ 0
  untuned_fp?: number[];
  untuned_fn?: number[];
  untuned_tn?: number[];
  weights?: number[]; // of labels, 32-bit floats
  thresholds?: (number | null)[]; // null = never predicted
  spread?: (number | null)[]; // standard deviation of the tuned threshold over folds left out
  curves?: number[][]; // threshold, ΔTP, ΔFP, … from the highest threshold down
  features?: number[][]; // number in feature_names, weight, …
  feature_names?: string[]; // not a column: every name once
}

export interface Rows {
  count: number;
  labels_true: number[]; // rows with 0, 1, 2, … labels; the last entry of labels_most and more
  labels_predicted: number[];
  labels_most: number;
  confusions: [number, number, number][]; // missed label, label given, rows
  confusions_skipped: number;
  worst: [number, number, number, number][]; // row from 1, right, missed, wrong
  examples?: { row: number; truth: number[]; predicted: number[]; content: string }[];
}

// A value, or lowest, middle and highest where every label has its own.
export type Summary = number | [number, number, number] | null;

export interface Search {
  version?: string;
  method?: string;
  effort?: string;
  seed?: number;
  folds?: number;
  rows?: number;
  searched_rows?: number;
  features?: number;
  labels?: number;
  trained_labels?: number;
  settings?: Record<string, unknown>;
  feature_map?: { chosen: string; candidates?: { map: string; log_loss: number }[] };
  losses?: { loss: string; rho: number; value?: number; path?: { rho: number; value?: number; log_loss: number }[] }[];
  learners?: { name?: string; learner?: string; weight?: number; log_loss?: number }[];
  lambda?: { chosen: Summary; steps: { lambda: Summary; metric: Summary }[] };
  label_mix?: { log_loss_before: number; log_loss_after: number };
  rule?: { chosen: string; min_labels?: number; value?: number };
  subject_to?: { constraint: string; value: number; margin: number };
  out_of_fold?: { metric: string; value: number; spread?: number; on?: string; folds?: number[] };
}

export interface DataCard {
  source: string;
  rows: number;
  labels: number;
  cardinality: number;
  density: number;
  label_sets: number;
  empty_rows: number;
  most_labels: number;
  unknown_labels: number;
  features?: { count: number; nominal: number; sparse: boolean; density: number; missing: number };
  text?: { mean_document_bytes: number };
  rare: { name: string; positives: number }[];
  rare_count: number;
  never_positive_count: number;
  always_positive_count: number;
  most_frequent: { name: string; positives: number }[];
  fingerprint: string;
}

export interface Report {
  format: "mmo-report";
  schema: number;
  version: string;
  source: string;
  command: string;
  name?: string; // beside other runs
  metric: Metric;
  rows_are?: string;
  seed?: number;
  weighted?: boolean;
  headline?: Headline;
  metrics?: { name: string; value: number | null; undefined: number }[];
  labels?: LabelColumns;
  rows?: Rows;
  one_threshold?: [number, number | null][]; // threshold of all labels, the metric there
  search?: Search;
  data?: DataCard;
  warnings?: string[];
  missing?: string[];
  comparison?: Comparison; // of all runs, with the first report of `mmo compare --report`
}

export interface Comparison {
  runs: number;
  runs_differ_by: string;
  test: string;
  results: { metric: string; method: string; mean: number | null; sd: number | null; difference?: number | null; p?: number | null; seconds: number }[];
}
