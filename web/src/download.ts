// Files to take away, made in the page: nothing is fetched.
import { h } from "./dom";

// A cell that a spreadsheet would take for a formula gets an apostrophe before it; numbers are left alone.
export function csvCell(cell: string | number): string {
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  const safe = /^[\s]*[=+\-@\t\r]/.test(cell) ? "'" + cell : cell;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function csv(rows: (string | number)[][]): string {
  return rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

export function downloadButton(label: string, file: string, type: string, content: () => string): HTMLButtonElement {
  return h("button", { type: "button", class: "button", onclick: () => {
    const url = URL.createObjectURL(new Blob([content()], { type }));
    const link = h("a", { href: url, download: file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  } }, label);
}
