// Mutations with their runs; outbox, stores, accounts and limits, which only the app itself can tell.

import { find, h, icon, replace, table } from "./dom.js";
import { below, code, isOver } from "./record.js";
import { clock, duration, grouped, line, plural, short } from "./words.js";

const phases = {
  started: ["pending", "waits to begin"], performing: ["fetching", "runs"], paused: ["paused", "waits"], retrying: ["stale", "waits to retry"],
  stopped: ["error", "stopped"], succeeded: ["fresh", "succeeded"], failed: ["error", "failed"], cancelled: ["pending", "cancelled"],
};

const cell = (...children) => h("td", ...children);
const phase = (look, text) => h("span.phase", { "data-look": look }, icon(`look-${look}`, "look"), h("span", text));
const block = (title, ...children) => h("div", h("h2", title), ...children);
const soft = (words) => h("div.soft", words);
const mono = (words) => h("div.mono", words);
const problem = (words) => h("div.problem", words);
const told = (event) => (event ? `${clock(event[0], 1)}: ` : "");
const text = (value, length = 160) => short(String(value ?? "–"), length);

export class RunsPane {
  constructor(app) {
    this.app = app;
    this.root = find("runs");
  }

  frame(isShown) {
    const { record, moment, at } = this.app;
    if (!record) return;
    const seen = `${record.revision} ${this.app.end}`;
    if (seen !== this.seen || this.record !== record) {
      this.seen = seen;
      this.rows = moment.runs.filter(Boolean);
      this.active = this.rows.filter((row) => !isOver(row.phase));
    }
    const { rows, active } = this;
    find("count-runs").textContent = active.length ? grouped(active.length) : "";
    if (!isShown) return;
    const tick = active.length ? Math.floor(at / 200_000) : 0;
    const mark = `${seen} ${tick}`;
    if (mark === this.mark && this.record === record) return;
    [this.mark, this.record] = [mark, record];
    const over = rows.filter((row) => isOver(row.phase)).sort((a, b) => b.at - a.at);
    const content = h("div.cards");
    if (!rows.length) content.append(h("p.empty", "No mutation ran up to this time."));
    if (active.length) content.append(block("Under way", table(["Mutation", "State", "Waits for", "Since", "Layers on"], active.slice(0, 300).map((row) => this.row(row, at, active)))));
    if (over.length) content.append(block("Ended", table(["Mutation", "State", "Error", "Took", "At"], over.slice(0, 200).map((row) => this.ended(row)))));
    replace(this.root, content);
  }

  name(row) {
    return cell(mono(text(row.run.text)), row.run.scope ? soft(`scope ${text(row.run.scope, 80)}`) : null);
  }

  layers(row) {
    const { record, moment } = this.app;
    const found = [];
    for (const number of [...row.run.keys, ...row.run.layers.map((n) => record.event(n)?.[2])]) {
      const key = record.keys.get(number);
      if (key && moment.rows[key.slot]?.layers.includes(row.run.number) && !found.includes(key.text)) found.push(key.text);
    }
    return found;
  }

  row(row, at, active) {
    const { record } = this.app;
    const [look, word] = phases[row.phase];
    return h("tr", this.name(row),
      cell(phase(look, word), row.failures ? soft(plural(row.failures, "failed attempt")) : null,
        row.error ? problem(text(record.errors.get(row.error))) : null),
      cell(this.waits(row, at, active)), cell(duration(at - row.started)),
      cell(this.layers(row).map((key) => mono(text(key, 100)))));
  }

  waits(row, at, active) {
    const { moment } = this.app;
    if (row.phase === "retrying") return row.retryAt > at ? `its next attempt, in ${duration(row.retryAt - at)}` : "its next attempt";
    if (row.phase === "stopped") return "an answer: send again, or give up";
    if (row.phase !== "paused") return "–";
    const ahead = active.find((other) => other !== row && row.run.scope && other.run.scope === row.run.scope && other.run.number < row.run.number);
    if (ahead) return ["the run before it: ", mono(text(ahead.run.text, 80))];
    if (!moment.network) return "the network";
    if (!moment.activity) return "the app to become active";
    return "its scope, the network or the app";
  }

  ended(row) {
    const { record } = this.app;
    const [look, word] = phases[row.phase];
    const error = row.error && row.phase !== "succeeded" ? text(record.errors.get(row.error)) : row.callback ? `${text(row.callback, 40)}: ${text(record.errors.get(row.error))}` : "–";
    const n = row.run.events.at(-1);
    return h("tr", this.name(row), cell(phase(look, word)), cell(error), cell(row.ended === null ? "–" : duration(row.ended - row.started)),
      cell(n === undefined ? clock(row.at, 1) : h("button.button", { onclick: () => this.app.showEvent(n) }, clock(row.at, 1))));
  }
}

export class CachePane {
  constructor(app) {
    this.app = app;
    this.root = find("cache");
  }

  frame(isShown) {
    if (!isShown || !this.app.record) return;
    const { record, moment, at, end } = this.app;
    const facts = this.app.isFollowing ? this.app.facts : null;
    const mark = `${this.app.isFollowing ? "" : end} ${this.app.factsNumber} ${this.app.isFollowing} ${Math.floor(at / 500_000)}`;
    if (mark === this.mark && this.record === record) return;
    [this.mark, this.record] = [mark, record];
    const content = h("div.cards");
    content.append(this.counts(record, moment), this.lookups(facts), ...this.limits(facts), ...this.outbox(facts), ...this.stores(facts), ...this.accounts(facts), this.calls(end));
    if (!facts) {
      const why = this.app.live ? "Lookups, limits, the outbox, stores and accounts are known for now only." : "Lookups, limits, the outbox, stores and accounts are not part of a record.";
      content.append(h("p.note", why));
    }
    replace(this.root, content);
  }

  counts(record, moment) {
    const counts = record.counts(moment);
    const facts = [
      ["Keys", counts.all], ["Observed", counts.observed], ["Fetching", counts.fetching], ["Paused", counts.paused], ["With data", counts.success],
      ["Failed", counts.error], ["Without data", counts.pending], ["Network", moment.network ? "online" : "offline"], ["App", moment.activity ? "active" : "inactive"],
      ["Lost events", moment.lost],
    ];
    return block("Now in the cache", h("dl.facts", facts.map(([name, value]) => h("div", h("dt", name), h("dd", grouped(value))))));
  }

  lookups(facts) {
    const lookups = facts?.lookups;
    if (!lookups) return h("div", { hidden: true });
    const parts = [["hits", "from the cache", "is-hit"], ["staleHits", "from the cache, stale", "is-stale"], ["joined", "joined a fetch", "is-joined"], ["misses", "waited for a fetch", "is-miss"], ["failures", "failed", "is-failure"]]
      .map(([name, title, kind]) => ({ count: Number(lookups[name]) || 0, title, kind }));
    const all = parts.reduce((sum, part) => sum + part.count, 0);
    const hits = parts[0].count + parts[1].count;
    const bar = h("div.split-bar", { role: "img", "aria-label": parts.map((part) => `${part.count} ${part.title}`).join(", ") });
    for (const part of parts.filter((one) => one.count)) {
      const piece = h("i", { class: part.kind });
      piece.style.flexGrow = part.count;
      bar.append(piece);
    }
    return block("Hit rate", h("div.lookups", h("strong", all ? `${Math.round((hits / all) * 100)} %` : "–"), bar),
      h("div.key-of", parts.map((part) => h("span", h("i", { class: `swatch ${part.kind}` }), `${grouped(part.count)} ${part.title}`))));
  }

  limits(facts) {
    const limits = facts?.limits;
    if (!limits) return [];
    const counts = this.app.record.counts(this.app.moment);
    const gauge = (title, used, limit, note) => {
      const share = limit ? Math.min(1, used / limit) : 0;
      const fill = h("i");
      fill.style.transform = `scaleX(${share})`;
      return h("tr", cell(title), cell(used === null ? "–" : grouped(used), limit ? ` of ${grouped(limit)}` : ", no limit"),
        cell(limit ? h("div", { class: `gauge ${share >= 1 ? "full" : ""}` }, fill) : null, note ? h("span.soft", note) : null));
    };
    const rows = [gauge("Fetches at once", limits.running, limits.fetches ?? null, limits.waiting ? `${plural(limits.waiting, "fetch waits", "fetches wait")} for a place` : "")];
    if ("entries" in limits) rows.push(gauge("Entries", counts.all, limits.entries));
    if (limits.cost != null) rows.push(gauge("Cost", typeof limits.usedCost === "number" ? limits.usedCost : null, limits.cost));
    return [block("Limits", table(["Limit", "Used", ""], rows))];
  }

  outbox(facts) {
    if (!Array.isArray(facts?.outbox)) return [];
    const look = { waiting: "paused", sending: "fetching", stopped: "error" };
    const waits = { store: "the store", mutation: "its mutation to be registered", answer: "an answer: send again, or give up" };
    const rows = facts.outbox.slice(0, 300).map((item) => h("tr", cell(mono(text(item.mutation)), soft(text(item.scope ? `scope ${item.scope}` : item.id, 60))),
      cell(phase(look[item.state] ?? "pending", text(item.state, 40)), item.attempts ? soft(plural(item.attempts, "attempt")) : null),
      cell(item.state === "waiting" && !item.waitsFor ? "its turn or the network" : waits[item.waitsFor] ?? text(item.waitsFor, 80)), cell(item.error ? problem(text(item.error, 300)) : "–")));
    return [block("Outbox", rows.length ? table(["Mutation", "State", "Waits for", "Error"], rows) : h("p.note", "Empty: all is sent."))];
  }

  stores(facts) {
    if (!Array.isArray(facts?.stores) || !facts.stores.length) return [];
    const { record } = this.app;
    const failed = record.conditions.slice(-2000).map((n) => record.event(n)).filter((event) => event[1] === code.storeFailed).reverse();
    // Stores of one name have numbers here, and none in the record.
    const names = (store) => [String(store.name), String(store.name).replace(/ #\d+$/, "")];
    const when = (store) => failed.find((event) => names(store).includes(event[3]) && record.errors.get(event[4]) === store.writeError);
    const rows = facts.stores.slice(0, 100).map((store) => h("tr", cell(mono(text(store.name)), store.partition ? soft(text(store.partition, 80)) : null),
      cell(phase({ open: "fresh", failing: "error" }[store.state] ?? "stale", text(store.state, 60)), store.error ? problem(text(store.error)) : null), cell(store.pending ? plural(store.pending, "change waits", "changes wait") : "all is written", store.writeError ? problem(`${told(when(store))}${text(store.writeError)}`) : null)));
    return [block("Stores", table(["Store", "State", "Writing"], rows),
      failed.slice(0, 5).map((event) => problem(`${told(event)}${line(record, event)}`)))];
  }

  accounts(facts) {
    if (!Array.isArray(facts?.accounts) || !facts.accounts.length) return [];
    const rows = facts.accounts.slice(0, 100).map((account) => h("tr", cell(text(account.name)), cell(account.isCurrent ? phase("fresh", "signed in") : account.state === "not erased" ? phase("error", "not erased") : phase("pending", "kept")),
      cell(account.entries == null ? "–" : plural(account.entries, "entry", "entries"))));
    return [block("Accounts", table(["Account", "State", "Entries"], rows))];
  }

  calls(end) {
    const { record } = this.app;
    const count = below(record.conditions, end);
    const shown = record.conditions.slice(Math.max(0, count - 30), count).reverse();
    if (!shown.length) return h("div", { hidden: true });
    return block("Calls, triggers, network", h("ol.history", shown.map((n) => this.app.eventItem(n))));
  }
}
