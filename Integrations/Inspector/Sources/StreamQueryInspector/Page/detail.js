// The detail of one key: what holds at the time that the page shows, why, and what happened before.

import { find, h, icon, replace, setAttribute, setIcon, setText, table } from "./dom.js";
import { meter } from "./keys.js";
import { look, lookWords } from "./list.js";
import { below, code, state } from "./record.js";
import { tree } from "./tree.js";
import { bytes, changes, clock, differences, duration, indented, lastFetch, line, plural, readJSON, short, who, why } from "./words.js";

const actions = [
  ["refetch", "Refetch"], ["invalidate", "Invalidate"], ["setStale", "Set stale"], ["setData", "Edit data…"],
  ["failNext", "Fail next fetch"], ["reset", "Reset"], ["remove", "Remove"],
];
const longest = 300_000;

export class Detail {
  constructor(app) {
    this.app = app;
    this.root = find("detail");
    this.more = 40;
    this.build();
  }

  build() {
    const p = {};
    this.parts = p;
    p.empty = h("p.empty", "Choose a key.");
    p.heading = h("h2");
    p.look = icon("look-pending", "look");
    p.word = h("span");
    p.badge = h("span.badge", p.look, p.word);
    p.type = h("span.badge.type");
    p.layered = h("span.badge.layered", icon("layer", "look"), h("span"));
    p.marked = h("span.badge.marked", "invalidated");
    p.placeholder = h("span.badge", "placeholder");
    p.endless = h("span.badge", "streams");
    p.fill = h("i");
    p.bar = h("div.bar.wide-bar", p.fill);
    p.left = h("p.soft");
    p.buttons = actions.map(([name, title]) => h("button", {
      class: name === "remove" ? "button danger" : "button", "data-do": name, onclick: () => this.act(name),
    }, title));
    p.reason = h("p.reason", { id: "reason" });
    for (const button of p.buttons) button.setAttribute("aria-describedby", "reason");
    [p.why, p.whyTitle, p.who] = [h("p", { id: "why" }), h("h3"), h("p", { id: "who" })];
    p.failure = h("p.failure");
    p.facts = new Map(["Status", "Fetch", "Observers", "Callers", "Fetches", "Failures", "Updates", "Updated", "Age", "Size"].map((name) => [name, h("dd")]));
    p.dataNote = h("span.soft");
    p.data = h("div", { id: "data" });
    p.options = h("div");
    p.optionsBlock = h("div.block", h("h3", "Options"), p.options);
    p.observers = h("ul.history");
    p.observersBlock = h("div.block", h("h3", "Observers"), p.observers);
    p.history = h("ol.history", { id: "history" });
    p.historyNote = h("span.soft");
    p.older = h("button.button", { onclick: () => {
      this.more += 100;
      this.seen = null;
      this.app.wake();
    } }, "Older events");
    p.body = h("div.sheet",
      h("div.title", p.heading, h("div.badges", p.badge, p.layered, p.marked, p.placeholder, p.endless, p.type), p.bar, p.left),
      h("div", { role: "group", "aria-label": "Do" }, h("div.actions", p.buttons), p.reason),
      p.failure,
      h("div.answers", h("div", p.whyTitle, p.why), h("div", h("h3", "Who observes this?"), p.who)),
      h("dl.facts", [...p.facts].map(([name, value]) => h("div", h("dt", name), value))),
      h("div.block", h("h3", "Data", p.dataNote), p.data),
      p.optionsBlock, p.observersBlock,
      h("div.block", h("h3", "History", p.historyNote), p.history, p.older));
    this.root.append(p.empty, p.body);
    p.body.hidden = true;
  }

  reset() {
    this.root.scrollTop = 0;
    this.answer = null;
    this.asked = null;
    this.shownData = undefined;
    this.more = 40;
  }

  frame() {
    const { app, parts: p } = this;
    const lane = app.lane();
    p.empty.hidden = Boolean(lane);
    p.body.hidden = !lane;
    if (!lane) {
      setText(p.empty, app.selected ? "The record does not have this key (any more)." : app.record ? "Choose a key to see why it fetched, who observes it, and what happened to it." : "");
      return;
    }
    const { record, moment, at, end } = app;
    const row = record.row(moment, lane);
    if (this.lane !== lane || this.record !== record) {
      const isSame = this.lane && this.record.date === record.date && record.laneLike(this.lane) === lane;
      [this.lane, this.record, this.seen, this.whoOf, this.whyOf] = [lane, record, null, null, undefined];
      if (!isSame) this.reset();
      setText(p.heading, short(lane.text, 2000));
      setText(p.type, lane.type || "–");
      p.type.title = short(lane.type, 200);
    }
    this.showState(row, at);
    this.showActions(row);
    this.showAnswers(lane, row, at, end);
    this.ask(row);
    this.showData(row);
    this.showOptions(row);
    this.showHistory(lane, end);
  }

  showState(row, at) {
    const { record } = this.app;
    const p = this.parts;
    const s = row?.state;
    const name = s ? look(record, s, at) : "pending";
    setAttribute(p.badge, "data-look", name);
    setIcon(p.look, `look-${name}`);
    setText(p.word, s ? lookWords[name] : "not in the cache");
    for (const [badge, has] of [[p.layered, state.isLayered], [p.marked, state.isInvalidated], [p.placeholder, state.isPlaceholder], [p.endless, state.isEndless]]) badge.hidden = !s || !has(s);
    if (!p.layered.hidden) setText(p.layered.lastChild, row.layers.length > 1 ? `${row.layers.length} optimistic layers` : "optimistic");
    if (!s) setAttribute(p.bar, "data-kind", "none");
    else meter({ bar: p.bar, fill: p.fill }, record, s, at);
    let left = s ? "There is no data." : "";
    if (s && state.hasData(s)) {
      const time = record.staleTime(s);
      const fresh = record.freshness(s, at);
      if (time === "static") left = "Never stale, not even after an invalidation.";
      else if (state.isInvalidated(s)) left = "Stale: it was invalidated.";
      else if (time === "never") left = "Fresh until it is invalidated.";
      else if (fresh === null) left = time === "dynamic" ? "A function decides whether it is stale." : "The record does not say when it becomes stale.";
      else if (fresh > 0) left = `Fresh for ${duration(state.updatedAt(s) + time - at)} of ${duration(time)}.`;
      else left = time === 0 ? "Always stale." : `Stale for ${duration(at - state.updatedAt(s) - time)}.`;
    }
    setText(p.left, left);
    const error = row?.error ? record.errors.get(row.error) ?? `error ${row.error}` : null;
    p.failure.hidden = error === null;
    let failure = error === null ? "" : short(error, 1000);
    if (row?.retryAt && row.retryAt > at) failure += ` Next attempt in ${duration(row.retryAt - at)}.`;
    setText(p.failure, failure);
    const value = record.value(row);
    const size = this.app.isFollowing && this.answer?.size != null ? this.answer.size : value === null ? null : value.length;
    const facts = s ? {
      Status: state.status(s), Fetch: state.fetching(s), Observers: state.observers(s), Callers: state.waiters(s),
      Fetches: row.fetch || "–", Failures: state.failures(s), Updates: state.updates(s),
      Updated: state.updatedAt(s) === null ? "–" : clock(state.updatedAt(s), 1),
      Age: state.updatedAt(s) === null ? "–" : duration(at - state.updatedAt(s)), Size: size === null ? "–" : bytes(size),
    } : {};
    for (const [title, element] of p.facts) setText(element, String(facts[title] ?? "–"));
  }

  showActions(row) {
    const p = this.parts;
    const general = this.app.blocked();
    let first = general;
    for (const button of p.buttons) {
      const name = button.dataset.do;
      let reason = general;
      if (!reason && !row) reason = "The key is not in the cache.";
      if (!reason && name === "setData") reason = this.notEdited(row);
      first ??= name === "setData" ? null : reason;
      setAttribute(button, "aria-disabled", reason ? "true" : null);
      button.title = reason ?? "";
      button.reason = reason;
    }
    setText(p.reason, first ?? "");
    p.reason.hidden = !first;
  }

  /** Why data cannot be edited now; null if it can. */
  notEdited(row) {
    if (this.app.facts?.allows?.values === false) return "The app does not show values, so they cannot be edited.";
    if (!this.answer) return "The data has not come yet.";
    return typeof this.answer.dataText === "string" || !state.hasData(row.state) ? null : "The data cannot be shown, so it cannot be edited.";
  }

  showAnswers(lane, row, at, end) {
    const { app, parts: p } = this;
    const { record, selectedEvent } = app;
    let n = null;
    if (selectedEvent !== null) {
      const event = record.event(selectedEvent);
      if (event && record.keys.get(event[2])?.lane === lane && event[1] >= code.fetchStarted && event[1] <= code.fetchCancelled && selectedEvent < end) n = selectedEvent;
    }
    n ??= lastFetch(record, lane, end);
    const fetch = n === null ? null : record.event(n);
    setText(p.whyTitle, fetch ? `Why did this refetch? Fetch ${fetch[3]}` : "Why did this refetch?");
    const text = (sentence) => sentence.replace(/(\d) (?=(ms|s|min|h|d)\b)/g, "$1\u00a0");
    if (this.whyOf !== n || this.whyRevision !== record.first) {
      [this.whyOf, this.whyRevision] = [n, record.first];
      setText(p.why, n === null ? "No fetch of it is in the record up to this time." : text(why(record, n) ?? ""));
    }
    const mark = `${lane.number} ${end} ${Math.floor(at / 100_000)}`;
    if (this.whoOf === mark) return;
    this.whoOf = mark;
    setText(p.who, text(who(record, lane, row, at, end)));
  }

  // Data, options with their origin and observers are not in the record: the app is asked.
  async ask(row) {
    const { app } = this;
    if (!app.isFollowing || !app.live || app.link !== "live" || !row) {
      if (this.answer) [this.answer, this.asked] = [null, null];
      return;
    }
    const key = row.key.number;
    const mark = `${key} ${row.n}`;
    if (this.asked === mark || this.isAsking) return;
    const now = performance.now();
    if (this.askedAt && now - this.askedAt < 250) {
      app.later(260);
      return;
    }
    [this.asked, this.isAsking, this.askedAt] = [mark, true, now];
    try {
      const answer = await app.live.detail(key);
      if (this.lane?.keys.some((other) => other.number === key)) [this.answer, this.problem] = [answer, null];
    } catch (error) {
      [this.answer, this.problem] = [null, error.message];
    } finally {
      this.isAsking = false;
    }
    app.wake();
  }

  showData(row) {
    const { app, parts: p } = this;
    const { record } = app;
    const text = record.value(row);
    const allowed = app.facts?.allows?.values !== false;
    let shown = "The record has no values: they are recorded only if the app asks for it.";
    let content = null;
    let note = "";
    if (!row) shown = "The key is not in the cache at this time.";
    else if (!state.hasData(row.state)) shown = "There is no data.";
    else if (app.isFollowing && this.answer && allowed) [shown, content] = [this.answer, () => this.present(this.answer)];
    else if (text !== null) {
      [shown, content] = [text, () => this.parsed(text)];
      if (row.value !== row.n) note = `as of ${clock(record.event(row.value)?.[0] ?? 0)}`;
    } else if (this.problem && app.isFollowing) shown = short(this.problem, 400);
    else if (app.live && !allowed) shown = "The app does not show values to the inspector.";
    else if (app.live && app.isFollowing) shown = "…";
    setText(p.dataNote, note);
    if (shown === this.shownData) return;
    this.shownData = shown;
    p.data.replaceChildren(content?.() ?? h("p.soft", shown));
  }

  present({ dataText, size }) {
    if (typeof dataText === "string") return this.parsed(dataText);
    if (size > 4) return h("p.soft", `The value is too large to show: ${bytes(size)}.`);
    return h("p.soft", "The value has no form in JSON: its type is not Encodable.");
  }

  parsed(text) {
    if (text.length > longest * 10) return h("p.soft", `The value is too large to show: ${bytes(text.length)}.`);
    try {
      return tree(readJSON(text));
    } catch {
      return h("p.tree", short(text, 2000));
    }
  }

  showOptions(row) {
    const p = this.parts;
    const { record } = this.app;
    const answered = this.app.isFollowing ? this.answer?.options : null;
    const plain = row ? record.options.get(state.options(row.state)) : null;
    const source = Array.isArray(answered) ? answered : plain;
    if (source !== this.shownOptions) {
      this.shownOptions = source;
      const rows = Array.isArray(source) ? source.map((option) => [option.name, option.value, option.from])
        : Object.entries(source ?? {}).map(([name, value]) => [name, typeof value === "number" ? duration(value) : typeof value === "string" ? value : JSON.stringify(value), ""]);
      p.options.replaceChildren(table(["Option", "Value", "From"], rows.slice(0, 60).map((cells) => h("tr",
        ["mono", "value", "soft"].map((kind, i) => h(`td.${kind}`, short(String(cells[i] ?? ""), 200)))))));
      p.optionsBlock.hidden = !rows.length;
      p.optionsBlock.classList.toggle("plain", !Array.isArray(source));
    }
    const observers = this.app.isFollowing ? this.answer?.observers : null;
    if (observers !== this.shownObservers) {
      this.shownObservers = observers;
      p.observers.replaceChildren(...(observers ?? []).slice(0, 60).map((one) => h("li", h("p", `${one.count > 1 ? `${one.count} × ` : ""}${short(String(one.text ?? ""), 200)}`))));
    }
    p.observersBlock.hidden = !observers?.length;
  }

  showHistory(lane, end) {
    const { app, parts: p } = this;
    const { record } = app;
    const count = below(lane.events, end);
    const mark = `${count} ${lane.events[count - 1]} ${lane.events[0]} ${this.more} ${app.selectedEvent}`;
    if (mark === this.seen) return;
    this.seen = mark;
    const from = Math.max(0, count - this.more);
    const items = [];
    for (let i = count - 1; i >= from; i -= 1) items.push(this.item(record, lane, i));
    replace(p.history, ...items);
    p.older.hidden = from === 0;
    setText(p.historyNote, count ? `${plural(count, "event")} in the record` : "Nothing happened to it in this record.");
  }

  item(record, lane, i) {
    const n = lane.events[i];
    const event = record.event(n);
    const changed = changes(record, n);
    const button = h("button", {
      "aria-current": n === this.app.selectedEvent ? "true" : null, title: "Show this time",
      onclick: () => this.app.showEvent(n),
    }, h("span.when", clock(event[0])), h("span.text", line(record, event)),
    changed.length ? h("span.changes", changed.map((one) => h("span", `${one.name} ${one.from} → `, h("b", one.to)))) : null,
    this.difference(record, lane, i));
    return h("li", button);
  }

  difference(record, lane, i) {
    const after = record.values.get(lane.events[i]);
    if (after === undefined) return null;
    let before = null;
    for (let j = i - 1; j >= 0 && before === null; j -= 1) before = record.values.get(lane.events[j]) ?? null;
    if (before === after || after.length > longest || (before?.length ?? 0) > longest) return null;
    try {
      if (before === null) return h("span.diff", h("ins", short(after, 160)));
      const found = differences(readJSON(before), readJSON(after), 6);
      return h("span.diff", found.map((one) => h("span", h("span.soft", `${short(one.path, 80)} `),
        one.from === null ? null : h("del", one.from), " ", one.to === null ? null : h("ins", one.to), h("br"))));
    } catch {
      return null;
    }
  }

  act(name) {
    const { app } = this;
    const button = this.parts.buttons.find((one) => one.dataset.do === name);
    if (button.reason) {
      app.say(button.reason);
      return;
    }
    const row = app.record.row(app.moment, this.lane);
    if (name === "setData") this.edit(row);
    else app.act({ do: name, key: row.key.number });
  }

  edit(row) {
    const { app } = this;
    const dialog = find("editor");
    const text = find("editor-text");
    const problem = find("editor-error");
    find("editor-key").textContent = short(this.lane.text, 400);
    const { dataText, baseText = dataText } = this.answer;
    text.value = indented(baseText ?? "");
    problem.textContent = "";
    find("editor-cancel").onclick = () => dialog.close();
    find("editor-done").onclick = async () => {
      try {
        JSON.parse(text.value);
      } catch (error) {
        problem.textContent = `This is not JSON: ${error.message}`;
        return;
      }
      problem.textContent = "";
      const refused = await app.act({ do: "setData", key: row.key.number, dataText: text.value });
      if (refused) problem.textContent = refused;
      else dialog.close();
    };
    dialog.showModal();
  }
}
