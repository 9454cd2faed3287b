// Elements. All text of a record becomes a text node: nothing of it is ever read as markup.

const space = "http://www.w3.org/2000/svg";

/**
 * An element: `h("p.soft", { title: "…" }, "text", child)`. `on…` properties are listeners, others are attributes.
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

export const table = (heads, rows) => h("table.table", h("thead", h("tr", heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", rows));

/** One of the symbols of the page. */
export function icon(name, kind = "icon") {
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("class", kind);
  svg.setAttribute("viewBox", "0 0 16 16");
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
export function setText(target, text) {
  const element = find(target);
  if (element.said !== text) {
    element.said = text;
    element.textContent = text;
  }
}

export function setAttribute(target, name, value) {
  const element = find(target);
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

/** The element with an id, or the element itself: other functions take both. */
export const find = (target) => (typeof target === "string" ? document.getElementById(target) : target);

export const on = (target, name, then, options) => find(target).addEventListener(name, then, options);

/** Does what belongs to the key that was pressed, if anything does. */
export function press(event, actions) {
  if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
  actions[event.key]();
  event.preventDefault();
  event.stopPropagation();
}

/** Whether the reader wants no motion. */
export const still = matchMedia("(prefers-reduced-motion: reduce)");
export const narrow = matchMedia("(max-width: 759px)");
export const dark = matchMedia("(prefers-color-scheme: dark)");
