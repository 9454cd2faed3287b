// Elements. All text of a record becomes a text node: nothing of it is ever read as markup.

const space = "http://www.w3.org/2000/svg";

/**
 * An element: `h("p.soft", { title: "…" }, "text", child)`, with or without classes and properties.
 *
 * `on…` properties are listeners, `class` is its class, others are attributes; null leaves one out.
 */
export function h(name, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  if (tag === "button") element.type = tag;
  const properties = children[0]?.constructor === Object ? children.shift() : {};
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) on(element, key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** One of the symbols of the page. */
export function icon(name, kind = "icon") {
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("class", kind);
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `#${name}`);
  svg.append(use);
  return svg;
}

export function setIcon(svg, name) {
  const use = svg.firstChild;
  if (use.getAttribute("href") !== `#${name}`) use.setAttribute("href", `#${name}`);
}

/** Sets text only if it is another: a frame without news touches nothing. */
export function setText(element, text) {
  if (element.said !== text) {
    element.said = text;
    element.textContent = text;
  }
}

export function setAttribute(element, name, value) {
  if (value === null) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) {
    element.setAttribute(name, value);
  }
}

/** Replaces what is in an element; a button in it that had the focus gives it to the one that follows it there. */
export function replace(element, ...children) {
  const buttons = () => [...element.querySelectorAll("button")];
  const index = element.contains(document.activeElement) ? buttons().indexOf(document.activeElement) : -1;
  element.replaceChildren(...children);
  if (index >= 0) buttons()[index]?.focus({ preventScroll: true });
}

export const find = (id) => document.getElementById(id);

/** Listens to an element, or to that with an id. */
export const on = (target, name, then, options) => (typeof target === "string" ? find(target) : target).addEventListener(name, then, options);

/** Whether the reader wants no motion. */
export const still = matchMedia("(prefers-reduced-motion: reduce)");
export const narrow = matchMedia("(max-width: 759px)");
export const dark = matchMedia("(prefers-color-scheme: dark)");
