// Numbers for people.
export function value(x: number | null | undefined, digits = 4): string {
  return x === null || x === undefined || Number.isNaN(x) ? "–" : Number.isFinite(x) ? x.toFixed(digits) : x > 0 ? "∞" : "−∞";
}

export function signed(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  const text = Math.abs(x).toFixed(digits);
  return Number(text) === 0 ? `±${text}` : (x < 0 ? "−" : "+") + text;
}

// Thousands apart; at most two decimals where rows have weights.
export function count(x: number): string {
  return x.toLocaleString("en", { maximumFractionDigits: 2 });
}

export function percent(x: number): string {
  return Number.isNaN(x) ? "–" : x > 0 && x < 0.001 ? `${(100 * x).toPrecision(1)} %` : `${(100 * x).toFixed(1)} %`;
}

export function short(x: number | null | undefined): string {
  return x === null || x === undefined || Number.isNaN(x) ? "–" : !Number.isFinite(x) ? (x > 0 ? "never" : "always") : String(Number(x.toPrecision(4))).replace("-", "−");
}

export function plural(n: number, one: string, many = one + "s"): string { return `${count(n)} ${n === 1 ? one : many}`; }

export function summary(x: unknown): string {
  if (Array.isArray(x)) return `${short(x[0])} … ${short(x[2])} (middle ${short(x[1])}, one per label)`;
  return typeof x === "number" ? short(x) : "–";
}
