// A table that holds any number of rows and draws those in sight. Sorted by its headings; arrow keys move between
// rows, Enter opens one.
import { h } from "./dom";

export interface Column {
  title: string;
  hint: string;
  text: (row: number) => string;
  order: (row: number) => number | string; // what sorting compares
  wide?: boolean;
  bar?: (row: number) => number; // 0 … 1, drawn behind the number
}

const ROW_HEIGHT = 30;
const SPARE_ROWS = 8;

export class VirtualTable {
  readonly element: HTMLElement;
  private readonly body = h("tbody");
  private readonly scroller: HTMLElement;
  private readonly headings: HTMLElement[] = [];
  private rows: number[];
  private shown: number[];
  private sorted = { column: -1, descending: false };
  private first = -1;
  private last = -1;

  constructor(private readonly columns: Column[], count: number, caption: string, private readonly open: (row: number) => void) {
    this.rows = Array.from({ length: count }, (_, k) => k);
    this.shown = this.rows;
    const head = h("tr", {}, ...columns.map((column, k) => {
      const heading = h("th", { scope: "col", "aria-sort": "none", title: column.hint, class: column.wide ? "wide" : undefined },
        h("button", { type: "button", onclick: () => this.sort(k) }, column.title, h("span", { class: "arrow", "aria-hidden": "true" })));
      this.headings.push(heading);
      return heading;
    }));
    this.scroller = h("div", { class: "virtual", tabindex: -1, onscroll: () => this.draw(false) },
      h("table", { "aria-rowcount": count + 1 }, h("caption", { class: "unseen" }, caption), h("thead", {}, head), this.body));
    this.element = this.scroller;
    this.body.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("beforeprint", () => this.drawRows(0, Math.min(this.shown.length, 100), true));
    window.addEventListener("afterprint", () => this.draw(true));
    new ResizeObserver(() => this.draw(true)).observe(this.scroller);
  }

  // A first click sorts numbers from the highest, words from A.
  sort(column: number, descending?: boolean): void {
    const words = this.rows.length > 0 && typeof this.columns[column].order(this.rows[0]) === "string";
    this.sorted = { column, descending: descending ?? (this.sorted.column === column ? !this.sorted.descending : !words) };
    const { order } = this.columns[column];
    const sign = this.sorted.descending ? -1 : 1;
    const keys = this.rows.map(order);
    const collator = new Intl.Collator("en", { numeric: true });
    this.rows = this.rows.map((row, k) => ({ row, key: keys[k] })).sort((a, b) => {
      if (typeof a.key === "string") return sign * collator.compare(a.key, b.key as string);
      const [x, y] = [a.key, b.key as number];
      if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)); // unknown comes last
      return x === y ? a.row - b.row : sign * (x - y);
    }).map((item) => item.row);
    this.headings.forEach((heading, k) => heading.setAttribute("aria-sort",
      k !== column ? "none" : this.sorted.descending ? "descending" : "ascending"));
    this.filter(this.keep);
  }

  private keep: (row: number) => boolean = () => true;
  filter(keep: (row: number) => boolean): number {
    this.keep = keep;
    this.shown = this.rows.filter(keep);
    this.scroller.scrollTop = 0;
    this.draw(true);
    return this.shown.length;
  }

  order(): number[] { return this.shown; }

  private draw(anew: boolean): void {
    const height = this.scroller.clientHeight || 480;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / ROW_HEIGHT) - SPARE_ROWS);
    const last = Math.min(this.shown.length, Math.ceil((this.scroller.scrollTop + height) / ROW_HEIGHT) + SPARE_ROWS);
    if (anew || first !== this.first || last !== this.last) this.drawRows(first, last, false);
  }

  private drawRows(first: number, last: number, all: boolean): void {
    const focused = this.body.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.row : undefined;
    this.first = first;
    this.last = last;
    const space = (rows: number): HTMLElement | null => {
      if (rows === 0 || all) return null;
      const cell = h("td", { colspan: this.columns.length });
      cell.style.height = `${rows * ROW_HEIGHT}px`;
      return h("tr", { "aria-hidden": "true", class: "space" }, cell);
    };
    const rows = this.shown.slice(first, last).map((row, k) => this.row(row, first + k));
    const none = this.shown.length === 0 ? h("tr", {}, h("td", { colspan: this.columns.length, class: "none" }, "No label matches.")) : null;
    const cut = all && last < this.shown.length
      ? h("tr", {}, h("td", { colspan: this.columns.length }, `… and ${this.shown.length - last} more`)) : null;
    this.body.replaceChildren(...[space(first), ...rows, none, cut, space(this.shown.length - last)].filter((row): row is HTMLTableRowElement => row !== null));
    if (focused !== undefined) this.body.querySelector<HTMLElement>(`[data-row="${focused}"]`)?.focus();
  }

  private row(row: number, place: number): HTMLElement {
    return h("tr", { "aria-rowindex": place + 2, onclick: () => this.open(row) }, ...this.columns.map((column, k) => {
      if (k === 0)
        return h("th", { scope: "row" }, h("button", { type: "button", "data-row": row, title: column.text(row) }, column.text(row)));
      const share = column.bar?.(row);
      const cell = h("td", {}, h("span", {}, column.text(row)));
      if (share !== undefined && share > 0) {
        cell.className = "bar-cell";
        cell.style.setProperty("--share", String(Math.min(1, share)));
      }
      return cell;
    }));
  }

  private key(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const row = (event.target as HTMLElement).dataset.row;
    if (step === 0 || row === undefined) return;
    event.preventDefault();
    const place = this.shown.indexOf(Number(row)) + step;
    if (place < 0 || place >= this.shown.length) return;
    const top = place * ROW_HEIGHT;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    if (top > this.scroller.scrollTop + this.scroller.clientHeight - 3 * ROW_HEIGHT) this.scroller.scrollTop = top - this.scroller.clientHeight + 3 * ROW_HEIGHT;
    this.draw(true);
    this.body.querySelector<HTMLElement>(`[data-row="${this.shown[place]}"]`)?.focus();
  }
}
