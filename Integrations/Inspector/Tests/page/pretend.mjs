// A client that is not there: it makes up the record of a small shop, so that the page can be driven without a server.
// Everything follows from a seed and from the times at which `advance` is called.

const ms = 1000;
const s = 1_000_000;
const causes = { subscribed: 1, invalidated: 2, interval: 3, active: 4, reconnect: 5, manual: 6, reset: 7, trigger: 8 };
const verbs = ["invalidate", "refetch", "reset", "remove", "clear"];

export class Pretend {
  constructor({ seed = 7, keys = 0, ring = 5000, values = true, date = Date.now() / 1000, story = true } = {}) {
    Object.assign(this, { state: seed, ring, hasValues: values, date, now: 0, next: 1, lost: 0 });
    [this.events, this.values, this.queue] = [[], new Map(), []];
    [this.keys, this.runs, this.errors, this.byText] = [[], [], [], new Map()];
    this.options = [
      [1, { staleTime: 8 * s, gcTime: 300 * s, retry: "3 times", enabled: true }],
      [2, { staleTime: 0, gcTime: 60 * s, retry: "3 times", enabled: true, refetchInterval: 5 * s }],
      [3, { staleTime: "static", gcTime: "never", retry: "3 times", enabled: true }],
      [4, { staleTime: 20 * s, gcTime: 300 * s, retry: "never", enabled: true }],
      [5, { staleTime: "dynamic", gcTime: 300 * s, retry: "3 times", enabled: "dynamic" }],
    ];
    [this.online, this.active, this.delay, this.failing] = [true, true, 0, new Set()];
    this.base = [1, 1];
    this.lookups = { hits: 0, staleHits: 0, joined: 0, misses: 0, failures: 0 };
    this.listeners = new Set();
    for (let i = 0; i < keys; i += 1) this.newEntry(["row", Math.floor(i / 100), i], "Row", 1 + (i % 5), true);
    if (story) this.tell();
  }

  random() {
    this.state = (this.state * 1664525 + 1013904223) >>> 0;
    return this.state / 2 ** 32;
  }

  // MARK: Time

  at(time, run) {
    this.queue.push({ time, run });
    this.queue.sort((a, b) => a.time - b.time);
  }

  in(time, run) { this.at(this.now + time, run); }

  advance(to) {
    while (this.queue.length && this.queue[0].time <= to) {
      const { time, run } = this.queue.shift();
      this.now = Math.max(this.now, time);
      run();
    }
    this.now = Math.max(this.now, to);
  }

  // MARK: Entries

  newEntry(parts, type, options, isOld = false) {
    const entry = {
      number: this.keys.length + 1, text: text(parts), parts, type, options, status: 0, fetching: 0, hasData: false, isInvalidated: false,
      layers: [], observers: 0, waiters: 0, updatedAt: null, updates: 0, failures: 0, fetch: 0, cause: 0, value: null, base: null, isGone: false, turn: 0,
    };
    if (isOld) {
      Object.assign(entry, { status: 1, hasData: true, updatedAt: -Math.floor(this.random() * 20 * s), updates: 1 });
      entry.base = this.stateOf(entry);
    }
    this.keys.push(entry);
    this.byText.set(entry.text, entry);
    if (!isOld) this.emit([1, entry.number], entry);
    return entry;
  }

  entry(parts, type = "Value", options = 1) {
    const found = this.byText.get(text(parts));
    return found && !found.isGone ? found : this.newEntry(parts, type, options);
  }

  stateOf(e) {
    const bits = e.status | (e.fetching << 2) | (e.hasData ? 16 : 0) | (e.isInvalidated ? 32 : 0) | (e.layers.length ? 128 : 0)
      | (e.observers > 0 ? 256 : 0) | (e.cause << 12);
    return [bits, e.observers, e.waiters, e.updatedAt, e.updates, e.failures, e.options];
  }

  emit(event, entry) {
    if (entry) event.push(entry.isGone ? null : this.stateOf(entry));
    this.events.push([Math.round(this.now), ...event]);
    if (entry && !entry.isGone && this.hasValues && entry.hasData && [9, 12, 16, 17].includes(event[0])) this.values.set(this.next, JSON.stringify(this.shown(entry)));
    this.next += 1;
    if (this.events.length > this.ring) this.forget();
    for (const listener of this.listeners) listener();
  }

  shown(e) { return e.layers.reduce((value, layer) => ({ ...value, ...layer.patch }), e.value); }

  forget() {
    const [event] = this.events.splice(0, 1);
    this.values.delete(this.next - this.events.length - 1);
    if (event[1] < 30) this.keys[event[2] - 1].base = event.at(-1);
    if (event[1] === 50) this.base[0] = event[2];
    if (event[1] === 51) this.base[1] = event[2];
    if (event[1] >= 30 && event[1] < 40 && event[1] !== 36) this.runs[event[2] - 1][3] = event[1];
    this.lost += 1;
  }

  error(words) {
    const found = this.errors.findIndex(([, other]) => other === words);
    if (found >= 0) return found + 1;
    this.errors.push([this.errors.length + 1, words]);
    return this.errors.length;
  }

  isStale(e) {
    const time = this.options[e.options - 1][1].staleTime;
    if (!e.hasData) return true;
    if (time === "static") return false;
    return e.isInvalidated || (typeof time === "number" && this.now - e.updatedAt >= time);
  }

  observe(parts, type, options) {
    const e = this.entry(parts, type, options);
    e.observers += 1;
    this.emit([3, e.number], e);
    if (!e.hasData) this.lookups.misses += 1;
    else if (this.isStale(e)) this.lookups.staleHits += 1;
    else this.lookups.hits += 1;
    if (this.isStale(e) && !e.fetching) this.fetch(e, "subscribed");
    else if (e.fetching) this.lookups.joined += 1;
    const interval = this.options[e.options - 1][1].refetchInterval;
    if (interval && !e.polls) {
      e.polls = true;
      const poll = () => {
        if (!e.observers) {
          e.polls = false;
          return;
        }
        if (!e.fetching) this.fetch(e, "interval");
        this.in(interval, poll);
      };
      this.in(interval, poll);
    }
    return e;
  }

  unobserve(e) {
    if (!e.observers || e.isGone) return;
    e.observers -= 1;
    this.emit([4, e.number], e);
  }

  fetch(e, cause) {
    if (e.isGone) return;
    e.turn += 1;
    e.fetch += 1;
    [e.cause, e.failures, e.fetching] = [causes[cause], 0, this.online ? 1 : 2];
    this.emit([5, e.number, e.fetch], e);
    if (this.online) this.attempt(e);
    else this.emit([7, e.number, e.fetch], e);
  }

  attempt(e) {
    const { turn } = e;
    const wait = (90 + this.random() * 700) * ms + this.delay * s;
    this.in(wait, () => {
      if (e.turn !== turn || e.isGone || e.fetching !== 1) return;
      if (!this.online) {
        e.fetching = 2;
        this.emit([7, e.number, e.fetch], e);
        return;
      }
      const isForced = this.failing.delete(e.number);
      if (isForced || this.random() < (e.odds ?? 0.06)) {
        e.failures += 1;
        const error = this.error(isForced ? "The inspector let this fetch fail." : e.failures % 2 ? "503 Service Unavailable" : "The request timed out.");
        if (isForced || e.failures > 3) {
          [e.status, e.fetching] = [2, 0];
          this.emit([10, e.number, e.fetch, error], e);
          return;
        }
        const pause = 500 * ms * 2 ** e.failures;
        this.emit([6, e.number, e.fetch, e.failures, pause, error], e);
        this.in(pause, () => e.turn === turn && !e.isGone && e.fetching === 1 && this.attempt(e));
        return;
      }
      e.updates += 1;
      [e.value, e.written] = [made(e, this.random()), null];
      Object.assign(e, { status: 1, fetching: 0, hasData: true, isInvalidated: false, updatedAt: Math.round(this.now), failures: 0 });
      this.emit([9, e.number, e.fetch, 0], e);
    });
  }

  write(e, value) {
    e.written = null;
    Object.assign(e, { value, hasData: true, status: 1, isInvalidated: false, updatedAt: Math.round(this.now), updates: e.updates + 1 });
    this.emit([12, e.number], e);
  }

  invalidate(e) {
    e.isInvalidated = true;
    this.emit([13, e.number], e);
    if (e.observers) this.fetch(e, "invalidated");
  }

  remove(e, reason) {
    e.isGone = true;
    this.byText.delete(e.text);
    this.emit([2, e.number, reason, 0], e);
  }

  bulk(verb, filter, entries) {
    this.emit([54, verbs.indexOf(verb), filter, entries.length]);
    for (const e of entries) this.invalidate(e);
  }

  setOnline(online) {
    if (this.online === online) return;
    this.online = online;
    this.emit([50, online ? 1 : 0]);
    for (const e of this.keys) {
      if (e.isGone || (!e.fetching && !(e.observers && online))) continue;
      if (e.fetching === 2 && online) {
        e.fetching = 1;
        this.emit([8, e.number, e.fetch], e);
        this.attempt(e);
      } else if (online && e.observers && this.isStale(e) && !e.fetching) this.fetch(e, "reconnect");
    }
    if (online) for (const go of this.waiting?.splice(0) ?? []) go();
  }

  // MARK: Mutations

  mutate(mutation, scope, changes, { fails = false, takes = 900 * ms, then = [] } = {}) {
    const run = this.runs.length + 1;
    this.runs.push([run, mutation, scope, null, Math.round(this.now)]);
    this.emit([30, run]);
    const layer = { run };
    for (const [e, patch] of changes) {
      e.layers.push({ ...layer, patch });
      this.emit([16, e.number, run], e);
    }
    const take = () => {
      for (const [e] of changes) {
        if (e.isGone) continue;
        e.layers = e.layers.filter((one) => one.run !== run);
        this.emit([17, e.number, run], e);
      }
    };
    const attempt = (failures) => {
      this.emit([33, run, failures]);
      this.in(takes, () => {
        if (fails && failures === 0) {
          this.emit([34, run, 1, 800 * ms, this.error("503 Service Unavailable")]);
          this.in(800 * ms, () => attempt(1));
        } else if (fails) {
          this.emit([38, run, this.error("409 Conflict: sold out")]);
          take();
        } else {
          this.emit([37, run]);
          for (const [e, patch] of changes) if (!e.isGone) this.write(e, { ...e.value, ...patch });
          take();
          for (const e of then) if (!e.isGone) this.invalidate(e);
        }
      });
    };
    if (this.online) attempt(0);
    else {
      this.emit([31, run]);
      (this.waiting ??= []).push(() => {
        this.emit([32, run]);
        attempt(0);
      });
    }
  }

  // MARK: The story

  tell() {
    const user = () => this.observe(["user", "me"], "User", 4);
    const list = (page) => this.observe(["products", "list", { page, sort: "new" }], "Page<Product>", 1);
    const product = (id) => this.observe(["product", id], "Product", 1);
    this.at(300 * ms, () => {
      user();
      list(1);
      this.observe(["config"], "Config", 3);
      this.observe(["cart"], "Cart", 1);
      this.observe(["notifications"], "[Notification]", 2);
    });
    const open = [];
    let time = 2.2 * s;
    for (let i = 0; i < 60; i += 1) {
      const id = 101 + Math.floor(this.random() * 9);
      this.at(time, () => {
        for (const e of open.splice(0)) this.unobserve(e);
        open.push(product(id));
        if (id % 2) open.push(this.observe(["product", id, "reviews"], "[Review]", 4));
        if (id % 3 === 0) open.push(this.observe(["search", { text: "chair", page: 1 }], "SearchResult", 5));
      });
      time += (1.4 + this.random() * 2.4) * s;
    }
    const cart = () => this.entry(["cart"], "Cart", 1);
    this.at(6.4 * s, () => this.mutate('["cart", "add"]', "cart", [[cart(), { items: 3, total: 129.5 }]], { then: [cart()] }));
    this.at(12.1 * s, () => this.mutate('["cart", "add"]', "cart", [[cart(), { items: 4, total: 188 }], [this.entry(["product", 104], "Product", 1), { stock: 0 }]], { fails: true }));
    this.at(17 * s, () => this.bulk("invalidate", '["products", …]', this.keys.filter((e) => !e.isGone && e.parts[0] === "products")));
    this.at(22 * s, () => this.setOnline(false));
    this.at(23.5 * s, () => this.mutate('["user", "rename"]', null, [[this.entry(["user", "me"], "User", 4), { name: "Ada L." }]]));
    this.at(28.4 * s, () => this.setOnline(true));
    this.at(33 * s, () => {
      this.active = false;
      this.emit([51, 0]);
    });
    this.at(37 * s, () => {
      this.active = true;
      this.emit([51, 1]);
      for (const e of this.keys) if (!e.isGone && e.observers && this.isStale(e) && !e.fetching) this.fetch(e, "active");
    });
    this.at(41 * s, () => {
      this.emit([52, "ShopChanged"]);
      for (const e of this.keys) if (!e.isGone && e.observers && e.parts[0] !== "config" && !e.fetching) this.fetch(e, "trigger");
    });
    this.at(44 * s, () => {
      const e = this.observe(["recommendations"], "[Product]", 4);
      e.odds = 1;
    });
    const hostile = () => this.observe(["<img src=x onerror=alert(1)>", "</script><script>document.title='pwned'</script>"], "<b>Markup</b>", 1);
    this.at(46 * s, hostile);
    this.at(49 * s, () => {
      const e = this.byText.get(text(["search", { text: "chair", page: 1 }]));
      if (e && !e.observers) this.remove(e, 0);
    });
  }

  /** Lets the store of files fail to write. */
  failToWrite(words) {
    this.writeError = words;
    this.emit([53, 0, "FileStore cache", this.error(words)]);
  }

  // MARK: Answers

  whole() {
    return this.excerpt(this.next - this.events.length, this.lost, { keys: 0, runs: 0, errors: 0, options: 0 });
  }

  excerpt(first, lost, from) {
    const events = this.events.slice(first - (this.next - this.events.length));
    let before = 0;
    const rows = events.map((event) => {
      const copy = event.slice();
      copy[0] = event[0] - before;
      before = event[0];
      return copy;
    });
    return {
      streamquery: "record", version: 1, date: this.date, now: Math.round(this.now), first, lost, options: this.options.slice(from.options),
      keys: this.keys.slice(from.keys).map((e) => [e.number, e.text, e.type, e.parts, from.isPart ? null : e.base]),
      runs: this.runs.slice(from.runs), errors: this.errors.slice(from.errors), base: this.base, events: rows,
      values: this.hasValues ? [...this.values].filter(([n]) => n >= first) : [],
    };
  }

  mark() { return { event: this.next, keys: this.keys.length, runs: this.runs.length, errors: this.errors.length, options: this.options.length, isPart: true }; }

  /** The news since a mark, or the whole record if too much is lost. */
  since(mark) {
    const first = this.next - this.events.length;
    return mark.event < first ? { ...this.whole(), lost: first - mark.event } : this.excerpt(mark.event, 0, mark);
  }

  facts() {
    return {
      client: "Shop", allows: { values: this.hasValues, actions: true }, lookups: { ...this.lookups },
      limits: { fetches: 6, running: this.keys.length > 10_000 ? 0 : this.keys.filter((e) => e.fetching === 1 && !e.isGone).length, waiting: 0, entries: 1000, cost: null },
      outbox: this.waiting?.length ? this.waiting.map((_, i) => ({ id: `run-${i + 1}`, mutation: '["user", "rename"]', state: "waiting", attempts: 0, waitsFor: null, error: null }))
        : [{ id: "5C1E9A", mutation: '["order", "place"]', state: "stopped", attempts: 5, waitsFor: null, error: "402 Payment Required" }],
      stores: [{ name: "FileStore cache", partition: "main", state: "open", pending: 2, writeError: this.writeError }, { name: "SQLiteStore", partition: "images", state: "open", pending: 0 }],
      accounts: [{ name: "ada@example.com", isCurrent: true, entries: 23 }, { name: "guest", isCurrent: false, entries: 4 }],
      conditions: { offline: this.isForcedOffline ?? false, delay: this.delay, failing: this.failing.size },
    };
  }

  detail(number) {
    const e = this.keys[number - 1];
    if (!e || e.isGone) return null;
    const options = this.options[e.options - 1][1];
    const from = { staleTime: `prefix ${text([e.parts[0]])}`, gcTime: "client", retry: "default", enabled: "default", refetchInterval: "query" };
    const words = (value) => (typeof value === "number" ? `${value / s} seconds` : String(value));
    return {
      key: number, type: e.type, dataText: this.hasValues && e.hasData ? e.written ?? JSON.stringify(this.shown(e)) : null, size: e.hasData ? JSON.stringify(this.shown(e) ?? null).length : null,
      options: Object.entries(options).map(([name, value]) => ({ name, value: words(value), from: from[name] })),
      observers: e.observers ? [{ text: `stream of ${e.type}, enabled`, count: e.observers }] : [], waiters: e.waiters,
    };
  }

  act({ do: verb, key, dataText, seconds }) {
    const e = key === undefined ? null : this.keys[key - 1];
    if (key !== undefined && (!e || e.isGone)) return { error: "The key is not in the cache." };
    switch (verb) {
      case "invalidate": this.invalidate(e); return { done: `Invalidated ${e.text}.` };
      case "refetch": this.fetch(e, "manual"); return { done: `Fetches ${e.text}.` };
      case "reset":
        Object.assign(e, { status: 0, hasData: false, updatedAt: null, isInvalidated: false, value: null, fetching: 0 });
        this.emit([14, e.number], e);
        if (e.observers) this.fetch(e, "reset");
        return { done: `Reset ${e.text}.` };
      case "remove": this.remove(e, 2); return { done: `Removed ${e.text}.` };
      case "setStale":
        e.isInvalidated = true;
        this.emit([13, e.number], e);
        return { done: `${e.text} is stale now.` };
      case "setData":
        this.write(e, JSON.parse(dataText));
        // As it was written, since a number may have more digits than JavaScript keeps.
        e.written = dataText;
        return { done: `Wrote the data of ${e.text}.` };
      case "clearFailNext": this.failing.delete(e.number); return { done: `The next fetch of ${e.text} goes its way.` };
      case "failNext": this.failing.add(e.number); return { done: `The next fetch of ${e.text} will fail.` };
      case "offline": case "online":
        this.isForcedOffline = verb === "offline";
        this.setOnline(verb === "online");
        return { done: verb === "online" ? "The client is online." : "The client is offline." };
      case "end":
        [this.isForcedOffline, this.delay] = [false, 0];
        this.failing.clear();
        if (!this.online) this.setOnline(true);
        return { done: "There are no conditions any more." };
      case "stay":
        this.stays = (this.stays ?? 0) + 1;
        return { done: "The conditions stay." };
      case "delay": this.delay = seconds; return { done: seconds ? `Fetches take ${seconds} s longer.` : "Fetches take no longer than they need." };
      default: return { error: `There is no action ${String(verb).slice(0, 40)}.` };
    }
  }
}

function text(parts) { return `[${parts.map((part) => JSON.stringify(part)).join(", ")}]`; }

function made(e, random) {
  const number = Math.floor(random * 900) + 100;
  switch (e.parts[0]) {
    case "user": return { id: 1, name: e.value?.name ?? "Ada Lovelace", email: "ada@example.com", isAdmin: true, address: { city: "London", zip: "N1 9GU" } };
    case "cart": return { items: e.value?.items ?? 2, total: e.value?.total ?? 70.5, currency: "EUR" };
    case "product": return e.parts[2] === "reviews" ? [{ stars: 5, text: "Sits well." }, { stars: 3, text: `Order ${number} came late.` }]
      : { id: e.parts[1], name: `Chair ${e.parts[1]}`, price: e.parts[1] * 2 - 100.5, stock: number % 40, tags: ["wood", "new"] };
    case "products": return { page: 1, of: 12, items: Array.from({ length: 12 }, (_, i) => ({ id: 101 + i, name: `Chair ${101 + i}`, stock: (number + i) % 40 })) };
    case "notifications": return Array.from({ length: number % 4 }, (_, i) => ({ id: number + i, text: "A price fell.", isRead: false }));
    case "config": return { features: { reviews: true, search: true }, currency: "EUR" };
    default: return { number, at: Math.round(e.fetch) };
  }
}
