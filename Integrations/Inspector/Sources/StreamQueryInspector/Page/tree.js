// A value of JSON as a tree, whose branches are built when they are opened.

import { h, on } from "./dom.js";
import { grouped, short } from "./words.js";

const page = 100;

export function tree(value) {
  const root = h("div.tree", { tabindex: "0", role: "group", "aria-label": "Data" });
  root.append(node(null, value, true));
  return root;
}

function node(name, value, isOpen) {
  const label = name === null ? [] : [h("span.name-of", short(name, 120)), h("span.soft", ": ")];
  if (value === null || typeof value !== "object") {
    const kind = typeof value === "string" ? "of-text" : typeof value === "number" || typeof value === "bigint" ? "of-number" : "of-word";
    const text = typeof value === "string" ? `"${short(value, 2000)}"` : String(value);
    return h("div.leaf", label, h("span", { class: kind }, text));
  }
  const names = Object.keys(value);
  const isList = Array.isArray(value);
  if (!names.length) return h("div.leaf", label, isList ? "[]" : "{}");
  const count = isList ? `[${grouped(names.length)}]` : `{${grouped(names.length)}}`;
  const children = h("div");
  const details = h("details", h("summary", label, h("span.soft", count, " ", isOpen ? "" : preview(value))), children);
  const more = (from) => {
    for (const child of names.slice(from, from + page)) children.append(node(child, value[child], false));
    if (from + page < names.length) {
      const button = h("button.button", { onclick: () => {
        button.remove();
        more(from + page);
      } }, `${grouped(names.length - from - page)} more`);
      children.append(button);
    }
  };
  const build = () => {
    if (!children.firstChild) more(0);
  };
  if (isOpen) {
    details.open = true;
    build();
  }
  on(details, "toggle", () => details.open && build());
  return details;
}

function preview(value) {
  const entries = Object.entries(value).slice(0, 3).map(([name, child]) => {
    const text = child !== null && typeof child === "object" ? (Array.isArray(child) ? "[…]" : "{…}") : typeof child === "string" ? JSON.stringify(child) : String(child);
    return Array.isArray(value) ? short(text, 24) : `${short(name, 24)}: ${short(text, 24)}`;
  });
  return entries.join(", ") + (Object.keys(value).length > 3 ? ", …" : "");
}
