// Small charts in SVG: scales, axes, lines, marks and a readout for pointer and keyboard. Drawn anew at the width
// they are given, so that text keeps its size on a phone and on paper.
import { freshId, h, s } from "./dom";
import { short } from "./format";

export interface Mark { x: number; y: number; text: string; shape?: "dot" | "ring" | "square"; series: Series }
export interface Line { points: [number, number][]; series: Series; dashed?: boolean; steps?: boolean }
export interface Band { points: [number, number, number][]; series: Series } // x, low, high
export interface Bars { values: number[]; series: Series }
export type Series = "ours" | "base" | "third" | "quiet";

export interface Chart {
  label: string; // what a screen reader says
  x: Axis;
  y: Axis;
  height?: number;
  lines?: Line[];
  bands?: Band[];
  marks?: Mark[];
  verticals?: { x: number; text: string; series: Series }[];
  legend?: { text: string; series: Series; kind: "line" | "dashed" | "dot" | "ring" | "square" | "band" | "bar" }[];
}

export interface Axis { title: string; low: number; high: number; log?: boolean; ticks?: number[]; format?: (x: number) => string }

const MARGIN = { left: 52, right: 14, top: 12, bottom: 42 };

export function niceTicks(low: number, high: number, most: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((f) => f * power).find((f) => f >= rough * 0.999)!;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

function logTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
    for (const f of high / low > 200 ? [1] : [1, 2, 5]) ticks.push(f * 10 ** power);
  return ticks.filter((t) => t >= low * 0.999 && t <= high * 1.001);
}

export class Scale {
  constructor(private readonly axis: Axis, private readonly from: number, private readonly to: number) {}
  at(x: number): number {
    const f = this.axis.log ? Math.log : (v: number): number => v;
    const span = f(this.axis.high) - f(this.axis.low);
    return this.from + (span === 0 ? 0.5 : (f(x) - f(this.axis.low)) / span) * (this.to - this.from);
  }
  ticks(most: number): number[] {
    return this.axis.ticks ?? (this.axis.log ? logTicks(this.axis.low, this.axis.high) : niceTicks(this.axis.low, this.axis.high, most));
  }
  text(x: number): string { return (this.axis.format ?? short)(x); }
}

function axes(chart: Chart, x: Scale, y: Scale, width: number, height: number): SVGElement {
  const right = width - MARGIN.right;
  const bottom = height - MARGIN.bottom;
  const group = s("g", { class: "axes", "aria-hidden": "true" });
  for (const tick of y.ticks(5)) {
    group.append(s("line", { x1: MARGIN.left, x2: right, y1: y.at(tick), y2: y.at(tick), class: "grid" }),
      s("text", { x: MARGIN.left - 8, y: y.at(tick) + 4, "text-anchor": "end" }, y.text(tick)));
  }
  for (const tick of x.ticks(width < 500 ? 4 : 8)) {
    group.append(s("line", { x1: x.at(tick), x2: x.at(tick), y1: bottom, y2: bottom + 4, class: "tick" }),
      s("text", { x: x.at(tick), y: bottom + 17, "text-anchor": "middle" }, x.text(tick)));
  }
  group.append(s("line", { x1: MARGIN.left, x2: right, y1: bottom, y2: bottom, class: "tick" }),
    s("text", { x: (MARGIN.left + right) / 2, y: height - 6, "text-anchor": "middle", class: "title" }, chart.x.title),
    s("text", { transform: `translate(13 ${(MARGIN.top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle", class: "title" }, chart.y.title));
  return group;
}

function path(points: [number, number][], x: Scale, y: Scale, steps = false): string {
  let d = "";
  points.forEach(([px, py], k) => {
    const at = `${x.at(px).toFixed(1)} ${y.at(py).toFixed(1)}`;
    d += k === 0 ? `M${at}` : steps ? `H${x.at(px).toFixed(1)}V${y.at(py).toFixed(1)}` : `L${at}`;
  });
  return d;
}

function markShape(mark: Mark, x: number, y: number): SVGElement {
  if (mark.shape === "square") return s("rect", { x: x - 3.5, y: y - 3.5, width: 7, height: 7, class: `mark ${mark.series}` });
  return s("circle", { cx: x, cy: y, r: 4, class: `mark ${mark.shape === "ring" ? "ring " : ""}${mark.series}` });
}

function drawing(chart: Chart, width: number): SVGSVGElement {
  const height = chart.height ?? 300;
  const x = new Scale(chart.x, MARGIN.left, width - MARGIN.right);
  const y = new Scale(chart.y, height - MARGIN.bottom, MARGIN.top);
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": chart.label, class: "chart" });
  svg.append(axes(chart, x, y, width, height));
  for (const band of chart.bands ?? []) {
    const there = band.points.map(([px, , high]) => [px, high] as [number, number]);
    const back = band.points.map(([px, low]) => [px, low] as [number, number]).reverse();
    if (there.length > 0) svg.append(s("path", { d: `${path(there, x, y)}L${path(back, x, y).slice(1)}Z`, class: `band ${band.series}` }));
  }
  for (const vertical of chart.verticals ?? []) {
    const at = x.at(vertical.x);
    const left = at > width * 0.7;
    svg.append(s("line", { x1: at, x2: at, y1: MARGIN.top, y2: height - MARGIN.bottom, class: `vertical ${vertical.series}` }),
      s("text", { x: at + (left ? -5 : 5), y: MARGIN.top + 10, "text-anchor": left ? "end" : "start", class: "note" }, vertical.text));
  }
  for (const line of chart.lines ?? [])
    svg.append(s("path", { d: path(line.points, x, y, line.steps), class: `line ${line.series}${line.dashed ? " dashed" : ""}` }));
  for (const mark of chart.marks ?? []) svg.append(markShape(mark, x.at(mark.x), y.at(mark.y)));
  return svg;
}

function legend(chart: Chart): HTMLElement | null {
  if (chart.legend === undefined) return null;
  return h("ul", { class: "legend" }, ...chart.legend.map((entry) => {
    const svg = s("svg", { width: 26, height: 12, "aria-hidden": "true" });
    if (entry.kind === "line" || entry.kind === "dashed")
      svg.append(s("path", { d: "M1 6H25", class: `line ${entry.series}${entry.kind === "dashed" ? " dashed" : ""}` }));
    else if (entry.kind === "band" || entry.kind === "bar")
      svg.append(s("rect", { x: 3, y: 1, width: 20, height: 10, class: `${entry.kind} ${entry.series}` }));
    else svg.append(markShape({ x: 0, y: 0, text: "", shape: entry.kind, series: entry.series }, 13, 6));
    return h("li", {}, svg, entry.text);
  }));
}

// The mark nearest to the pointer, or the next one by arrow keys, is named below the chart.
function readout(chart: Chart, svg: SVGSVGElement, width: number, said: HTMLElement): void {
  const marks = chart.marks ?? [];
  if (marks.length === 0) return;
  const height = chart.height ?? 300;
  const x = new Scale(chart.x, MARGIN.left, width - MARGIN.right);
  const y = new Scale(chart.y, height - MARGIN.bottom, MARGIN.top);
  const halo = s("circle", { r: 8, class: "halo", visibility: "hidden" });
  svg.append(halo);
  const order = marks.map((_, k) => k).sort((a, b) => marks[a].x - marks[b].x);
  let place = -1;
  const show = (k: number): void => {
    halo.setAttribute("cx", String(x.at(marks[k].x)));
    halo.setAttribute("cy", String(y.at(marks[k].y)));
    halo.setAttribute("visibility", "visible");
    said.textContent = marks[k].text;
  };
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const px = (event.clientX - box.left) * (width / box.width);
    const py = (event.clientY - box.top) * (height / box.height);
    let best = 0;
    let nearest = Infinity;
    marks.forEach((mark, k) => {
      const distance = (x.at(mark.x) - px) ** 2 + (y.at(mark.y) - py) ** 2;
      if (distance < nearest) { nearest = distance; best = k; }
    });
    if (nearest < 900) show(best);
  });
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    place = Math.min(Math.max(place + step, 0), order.length - 1);
    show(order[place]);
  });
}

// Redraws when its width or its content changes.
export class ChartView {
  readonly element: HTMLElement;
  private readonly frame = h("div", { class: "frame" });
  private readonly said = h("p", { class: "readout", "aria-live": "polite", id: freshId("readout") });
  private width = 0;

  constructor(private chart: Chart) {
    this.element = h("figure", {}, this.frame, this.said, legend(chart));
    this.draw(640);
    new ResizeObserver((entries) => this.resize(entries[0].contentRect.width)).observe(this.frame);
  }

  show(chart: Chart): void {
    this.chart = chart;
    this.draw(this.width);
  }

  private resize(width: number): void {
    if (width > 0 && Math.round(width) !== this.width) this.draw(Math.round(width));
  }

  private draw(width: number): void {
    this.width = width;
    const svg = drawing(this.chart, Math.max(width, 240));
    readout(this.chart, svg, Math.max(width, 240), this.said);
    this.frame.replaceChildren(svg);
  }
}

// Bars side by side at whole numbers 0 … n − 1.
export class BarView extends ChartView {
  constructor(chart: Chart, groups: Bars[], names: (k: number) => string) {
    const count = Math.max(...groups.map((group) => group.values.length));
    const offset = 0.4 / groups.length;
    const bands: Band[] = groups.flatMap((group, g) => group.values.map((height, k) => {
      const left = k - 0.4 + 2 * offset * g;
      return { series: group.series, points: [[left, 0, height], [left + 2 * offset, 0, height]] as [number, number, number][] };
    }));
    super({ ...chart, bands, x: { ...chart.x, low: -0.6, high: count - 0.4, ticks: tickNumbers(count), format: names } });
    this.element.classList.add("bars");
  }
}

function tickNumbers(count: number): number[] {
  const step = Math.max(1, Math.ceil(count / 12));
  return Array.from({ length: Math.ceil(count / step) }, (_, k) => k * step);
}
