// The list of keys. Only the rows in view are in the document.

import { find, h, icon, narrow, on, press, setAttribute, setIcon, setText } from "./dom.js";
import { look, lookWords, looks, ordered } from "./list.js";
import { state } from "./record.js";
import { bytes, causeWords, duration, grouped, short } from "./words.js";

const titles = [
  ["key", "Key", "name"], ["freshness", "Fresh for", "meter"], ["observers", "Obs.", "observers number"],
  ["fetches", "Fetches", "fetches number"], ["age", "Age", "age number"], ["size", "Size", "size number"],
  ["cause", "Last cause", "cause"],
];

export class KeysPane {
  constructor(app) {
    this.app = app;
    this.by = { text: "", looks: new Set(), sort: "key", isReversed: false, depth: 0, closed: new Set() };
    this.items = [];
    this.indexOf = new Map();
    this.counts = {};
    this.used = new Map();
    this.free = { row: [], group: [] };
    this.top = 0;
    this.height = 0;
    this.active = -1;
    this.work = null;
    this.isOld = true;
    this.ordinal = 0;
    [this.rows, this.sheet, this.grid] = [find("rows"), find("sheet"), find("grid")];
    this.build();
  }

  build() {
    const filter = find("filter");
    on(filter, "input", () => this.change({ text: filter.value }));
    on(filter, "keydown", (event) => {
      if (event.key === "Escape") {
        filter.value = "";
        this.change({ text: "" });
      } else if (event.key === "ArrowDown") {
        event.preventDefault();
        this.grid.focus();
        this.go(0);
      }
    });
    on("depth", "change", (event) => this.change({ depth: Number(event.target.value) }));
    this.chips = new Map(looks.map((name) => {
      const count = h("b");
      const chip = h("button.chip", {
        "data-look": name, "aria-pressed": "false", onclick: () => this.toggle(name),
      }, icon(`look-${name}`, "icon look"), lookWords[name], count);
      find("chips").append(chip);
      return [name, { chip, count }];
    }));
    this.heads = new Map(titles.map(([name, title, kind]) => {
      const head = h("div", { role: "columnheader", class: kind, "aria-sort": "none" },
        h("button", { onclick: () => this.sort(name) }, title));
      find("columns").append(head);
      return [name, head];
    }));
    this.sort("key", true);
    on(this.rows, "scroll", () => {
      this.top = this.rows.scrollTop;
      this.isScrolling = true;
      this.app.wake();
    }, { passive: true });
    new ResizeObserver(() => this.measure()).observe(this.rows);
    on(narrow, "change", () => this.measure());
    on(this.grid, "keydown", (event) => this.pressed(event));
    on(this.sheet, "click", (event) => {
      const row = event.target.closest(".row");
      if (row) this.choose(row.index);
    });
  }

  measure() {
    this.height = this.rows.clientHeight;
    const size = narrow.matches ? 52 : 32;
    if (size !== this.size) {
      this.size = size;
      this.sheet.style.height = `${this.items.length * size}px`;
    }
    this.app.wake();
  }

  change(by) {
    Object.assign(this.by, by);
    this.renew(true);
  }

  toggle(name) {
    if (!this.by.looks.delete(name)) this.by.looks.add(name);
    setAttribute(this.chips.get(name).chip, "aria-pressed", this.by.looks.has(name));
    this.renew(true);
  }

  sort(name, isFirst = false) {
    if (!isFirst) this.by.isReversed = this.by.sort === name && !this.by.isReversed;
    this.by.sort = name;
    for (const [other, head] of this.heads) {
      head.setAttribute("aria-sort", other === name ? (this.by.isReversed ? "descending" : "ascending") : "none");
    }
    if (!isFirst) this.renew(true);
  }

  /** Makes a new order soon; `isNow` drops the one that is being made. */
  renew(isNow = false) {
    this.isOld = true;
    if (isNow) {
      this.work = null;
      this.orderedAt = 0;
    }
    this.app.wake();
  }

  reset() {
    this.items = [];
    this.work = null;
    this.active = -1;
    this.renew(true);
  }

  /** Works until `deadline` at an order, and shows what is in view. True if there is more to do. */
  frame(deadline, time) {
    const { record, moment, at } = this.app;
    if (record) {
      if (!this.work && this.isOld && time - (this.orderedAt ?? 0) > (this.items.length > 5000 ? 2000 : 150)) {
        this.isOld = false;
        this.orderedAt = time;
        this.work = ordered(record, this.app.isFollowing ? record.current : moment.copy(), at, this.by);
      }
      while (this.work && performance.now() < deadline) {
        const { done, value } = this.work.next();
        if (done) {
          [this.work, this.of] = [null, record];
          this.show(value);
        }
      }
    }
    this.render();
    return this.work !== null || this.isOld;
  }

  show({ items, counts, shown, all }) {
    const active = this.items[this.active];
    this.items = items;
    this.ordinal += 1;
    this.sheet.style.height = `${items.length * this.size}px`;
    setAttribute(this.grid, "aria-rowcount", items.length + 1);
    setAttribute(this.grid, "role", this.by.depth ? "treegrid" : "grid");
    for (const [name, { chip, count }] of this.chips) {
      setText(count, grouped(counts[name] ?? 0));
      chip.hidden = !counts[name] && !this.by.looks.has(name);
    }
    setText("count-keys", shown === all ? grouped(all) : `${grouped(shown)} of ${grouped(all)}`);
    const none = find("none");
    none.hidden = items.length > 0;
    setText(none, all > 0 ? "No key matches the filter." : "The cache is empty at this time.");
    if (active && items[this.active] !== active) {
      const is = (item) => (active.isGroup ? item.name === active.name : item.number === active.number);
      this.active = items.length < 20_000 ? items.findIndex(is) : -1;
    }
  }

  render() {
    const { record, moment, at } = this.app;
    const selected = this.app.lane();
    const over = 4;
    const first = Math.max(0, Math.floor(this.top / this.size) - over);
    const last = record ? Math.min(this.items.length, Math.ceil((this.top + this.height) / this.size) + over, first + 180) : 0;
    for (const [index, element] of this.used) {
      const item = this.items[index];
      if (index >= first && index < last && Boolean(item?.isGroup) === element.isGroup) continue;
      this.used.delete(index);
      element.index = -1;
      this.free[element.isGroup ? "group" : "row"].push(element);
    }
    for (let index = first; index < last; index += 1) {
      const item = this.items[index];
      const element = this.used.get(index) ?? this.take(index, Boolean(item.isGroup));
      if (item.isGroup) this.fillGroup(element, item, index);
      else this.fill(element, item, record, moment, at, selected);
    }
    for (const element of [...this.free.row, ...this.free.group]) {
      if (element.hidden) continue;
      element.hidden = true;
      element.removeAttribute("id");
    }
    const active = this.used.get(this.active);
    setAttribute(this.grid, "aria-activedescendant", active ? active.id : null);
    if (this.marked !== active) {
      this.marked?.classList.remove("active");
      active?.classList.add("active");
      this.marked = active;
    }
    // Rows are used again, so that their order in the document is not that of the list.
    const order = `${first} ${last}`;
    if (this.owned === order) return;
    this.owned = order;
    setAttribute(this.rows, "aria-owns", Array.from({ length: Math.max(0, last - first) }, (_, i) => `row-${first + i}`).join(" "));
  }

  take(index, isGroup) {
    const element = this.free[isGroup ? "group" : "row"].pop() ?? (isGroup ? this.newGroup() : this.newRow());
    this.used.set(index, element);
    element.index = index;
    if (element.hidden) element.hidden = false;
    element.id = `row-${index}`;
    element.style.transform = `translateY(${index * this.size}px)`;
    element.setAttribute("aria-rowindex", index + 2);
    return element;
  }

  newRow() {
    const cell = (kind, ...children) => h("div", { role: "gridcell", class: kind }, ...children);
    const parts = { look: icon("look-pending", "look"), layer: icon("layer", "layer-mark"), text: h("span.text"), word: h("span.hidden"), fill: h("i") };
    parts.bar = h("div.bar", parts.fill);
    parts.name = cell("name", parts.look, parts.text, parts.layer, parts.word);
    for (const name of ["observers", "fetches", "age", "size"]) parts[name] = cell(`${name} number`);
    parts.cause = cell("cause");
    const element = h("div.row", { role: "row" },
      parts.name, cell("meter", parts.bar), parts.observers, parts.fetches, parts.age, parts.size, parts.cause);
    return this.placed(element, parts, false);
  }

  newGroup() {
    const parts = { chevron: icon("chevron", "icon chevron"), text: h("span.text"), count: h("span.count"), sums: h("span.sums") };
    const element = h("div.row.group", { role: "row", "aria-level": 1 },
      h("div.name", { role: "gridcell" }, parts.chevron, parts.text, parts.count), h("div", { role: "gridcell" }, parts.sums));
    return this.placed(element, parts, true);
  }

  placed(element, parts, isGroup) {
    element.parts = parts;
    element.isGroup = isGroup;
    this.sheet.append(element);
    return element;
  }

  // The list may be that of the record before: the next order has the lanes of this one.
  fill(element, item, record, moment, at, selected) {
    const { parts } = element;
    const own = this.of === record ? item : record.laneLike(item);
    const lane = own ?? item;
    const row = own && record.row(moment, own);
    setAttribute(element, "aria-selected", own !== null && own === selected);
    setText(parts.text, short(record.name(lane), 300));
    if (element.lane !== lane) {
      element.lane = lane;
      parts.text.title = short(lane.text, 300);
    }
    element.classList.toggle("indented", this.by.depth > 0);
    setAttribute(element, "aria-level", this.by.depth ? 2 : null);
    if (!row) {
      setAttribute(element, "data-look", "pending");
      setIcon(parts.look, "look-pending");
      element.classList.add("idle");
      for (const name of ["observers", "fetches", "age", "size", "word"]) setText(parts[name], "");
      setText(parts.cause, "not in the cache");
      setAttribute(parts.bar, "data-kind", "none");
      return;
    }
    const s = row.state;
    const name = look(record, s, at);
    setAttribute(element, "data-look", name);
    setIcon(parts.look, `look-${name}`);
    setText(parts.word, `, ${lookWords[name]}`);
    const layered = state.isLayered(s);
    if (parts.layer.was !== layered) {
      parts.layer.was = layered;
      parts.layer.style.display = layered ? "" : "none";
    }
    const observers = state.observers(s);
    element.classList.toggle("idle", observers === 0);
    setText(parts.observers, String(observers));
    parts.observers.classList.toggle("zero", observers === 0);
    setText(parts.fetches, row.fetch ? String(row.fetch) : "–");
    setText(parts.age, state.updatedAt(s) === null ? "–" : shortAge(at - state.updatedAt(s)));
    const text = record.value(row);
    setText(parts.size, text === null ? "–" : bytes(text.length));
    setText(parts.cause, causeWords[state.cause(s)]);
    meter(parts, record, s, at);
  }

  fillGroup(element, group, index) {
    const { parts } = element;
    setAttribute(element, "aria-expanded", !group.isClosed);
    setText(parts.text, short(group.name, 200));
    setText(parts.count, grouped(group.lanes.length));
    if (element.group === group) return;
    element.group = group;
    parts.sums.replaceChildren(...looks.filter((name) => group.looks[name]).map((name) => h("span.sum", { "data-look": name, title: lookWords[name] },
      icon(`look-${name}`, "look"), h("span.hidden", lookWords[name]), grouped(group.looks[name]))));
  }

  choose(index) {
    const item = this.items[index];
    if (!item) return;
    this.active = index;
    if (item.isGroup) this.fold(item);
    else this.app.select(item, true);
  }

  fold(group) {
    if (!this.by.closed.delete(group.name)) this.by.closed.add(group.name);
    this.renew(true);
  }

  reveal(lane) {
    if (this.items[this.active] === lane || this.items.length > 20_000) return;
    const index = this.items.indexOf(lane);
    if (index >= 0) this.scrollTo(index);
  }

  scrollTo(index) {
    this.active = index;
    const top = index * this.size;
    if (top < this.top) this.rows.scrollTop = top;
    else if (top + this.size > this.top + this.height) this.rows.scrollTop = top + this.size - this.height;
    this.top = this.rows.scrollTop;
  }

  go(index) {
    if (!this.items.length) return;
    this.scrollTo(Math.min(Math.max(index, 0), this.items.length - 1));
    const item = this.items[this.active];
    if (!item.isGroup) this.app.select(item, false);
    this.app.wake();
  }

  pressed(event) {
    if (event.target !== this.grid) return;
    const page = Math.max(1, Math.floor(this.height / this.size) - 1);
    const item = this.items[this.active];
    const by = (count) => () => this.go(this.active + count);
    const fold = (isClosed) => () => item?.isGroup && item.isClosed === isClosed && this.fold(item);
    press(event, {
      ArrowDown: by(1), ArrowUp: by(-1), PageDown: by(page), PageUp: by(-page), Home: () => this.go(0), End: () => this.go(this.items.length - 1),
      Enter: () => this.choose(this.active), ArrowLeft: fold(false), ArrowRight: fold(true),
    });
  }
}

export function shortAge(micros) {
  const s = Math.max(0, micros) / 1e6;
  if (s < 10) return `${(Math.floor(s * 10) / 10).toFixed(1)} s`;
  return duration(micros).split(" ").slice(0, 2).join(" ");
}

export function meter({ bar, fill }, record, s, at) {
  const left = record.freshness(s, at);
  const time = record.staleTime(s);
  const kind = !state.hasData(s) ? "none" : left === null ? "unknown" : left === 0 ? "stale"
    : time === "never" || time === "static" ? "always" : "fresh";
  setAttribute(bar, "data-kind", kind);
  if (kind === "fresh") {
    const width = Math.ceil(left * 200) / 200;
    if (fill.was !== width) {
      fill.was = width;
      fill.style.transform = `scaleX(${width})`;
      setAttribute(bar, "data-low", width < 0.2);
    }
  } else if (fill.was !== 1) {
    fill.was = 1;
    fill.style.transform = "none";
    setAttribute(bar, "data-low", false);
  }
}
