// Elements by function. Names are data: children become text nodes, nothing is ever parsed as HTML.
export type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function s<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag) as SVGElementTagNameMap[K];
  fill(element, attributes, children);
  return element;
}

// A section of the page with a heading of its own and a sentence that says how to read it.
export function panel(id: string, title: string, hint: string, ...children: Child[]): HTMLElement {
  return h("section", { class: "panel", id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title), hint !== "" && h("p", { class: "hint" }, hint), ...children);
}

export function table(head: string[], rows: Child[][], options: { caption: string; numbers?: boolean }): HTMLElement {
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": options.caption },
    h("table", { class: options.numbers === false ? "plain" : "plain numbers" },
      h("caption", { class: "unseen" }, options.caption),
      h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell, k) =>
        k === 0 ? h("th", { scope: "row" }, cell) : h("td", {}, cell)))))));
}

let numbers = 0;
export function freshId(prefix: string): string { return `${prefix}-${++numbers}`; }
