// The page: which record it shows, at which time, and what draws it.

import { Detail } from "./detail.js";
import { find, h, icon, narrow, on, press, setAttribute, setIcon, setText, still } from "./dom.js";
import { KeysPane } from "./keys.js";
import { Live, token } from "./live.js";
import { CachePane, RunsPane } from "./queues.js";
import { Recording, RecordError } from "./record.js";
import { Timeline } from "./timeline.js";
import { clock, lastFetch, line, plural, short } from "./words.js";

const kept = 60_000;
const linkWords = {
  none: "No record", connecting: "Connecting…", live: "Live", lost: "App not reachable, trying again", ended: "Client was shut down",
  refused: "Link not accepted", opened: "Saved record", hidden: "Paused while nobody looked", replaced: "Newer pages took its place",
};

class App {
  record = null;
  moment = null;
  at = 0;
  end = 0;
  isFollowing = false;
  isPlaying = false;
  speed = 1;
  selected = null;
  selectedEvent = null;
  live = null;
  link = "none";
  facts = null;
  factsNumber = 0;
  failing = new Map();
  hiddenFor = 5000;

  constructor() {
    this.keys = new KeysPane(this);
    this.timeline = new Timeline(this);
    this.detail = new Detail(this);
    this.runs = new RunsPane(this);
    this.cache = new CachePane(this);
    this.tick = this.tick.bind(this);
    for (const one of document.querySelectorAll("[data-icon]")) one.prepend(icon(one.dataset.icon));
    this.listen();
  }

  // MARK: Time

  /** The newest time: while an app is connected, it goes on without events. */
  edge() {
    const { record } = this;
    if (!record) return 0;
    if (this.link !== "live") return Math.max(record.now, this.newest ?? 0);
    const guess = record.now + (performance.now() - this.heardAt) * 1000;
    this.newest = this.newest > guess && this.newest < guess + 2e6 ? this.newest : guess;
    return this.newest;
  }

  seek(at) {
    const { record } = this;
    if (!record) return;
    if (record.isCut && at < record.start - 1000) this.say(`What was before ${clock(record.start)} is not kept.`);
    [this.isFollowing, this.isPlaying, this.isGone] = [false, false, false];
    this.at = Math.min(Math.max(at, record.start), this.edge());
    this.wake();
  }

  toStart() {
    this.seek(this.record?.start ?? 0);
    this.timeline.reveal(this.at);
  }

  follow() {
    if (!this.record) return;
    if (this.opened && this.live) {
      this.connect();
      return;
    }
    this.isPlaying = false;
    this.isFollowing = this.live !== null;
    this.at = this.edge();
    if (this.isFollowing) this.timeline.isFitted ||= this.at > this.timeline.to;
    else this.timeline.reveal(this.at);
    this.wake();
  }

  playOrPause() {
    if (!this.record) return;
    if (this.isFollowing) {
      this.seek(this.at);
      return;
    }
    this.isPlaying = !this.isPlaying;
    if (this.isPlaying && this.at >= this.edge()) this.at = this.record.start;
    this.wake();
  }

  stepEvent(by) {
    const { record } = this;
    if (!record) return;
    const n = by > 0 ? record.after(this.at) : record.after(this.at - 0.5) - 1;
    const event = record.event(n);
    this.seek(event ? event[0] : by > 0 ? this.edge() : record.start);
    if (event) this.chooseEvent(n);
    this.timeline.reveal(this.at);
  }

  // MARK: Choice

  lane() { return this.selected && this.record ? this.record.laneLike(this.selected) : null; }

  select(lane, goesThere) {
    lane = this.record.laneLike(lane) ?? lane;
    if (this.lane() !== lane) this.selectedEvent = null;
    this.selected = lane;
    this.timeline.revealLane(lane);
    this.keys.reveal(lane);
    if (goesThere && narrow.matches) this.go("detail");
    this.wake();
  }

  chooseEvent(n) {
    const event = this.record.event(n);
    if (!event) return;
    this.selectedEvent = n;
    const key = event[1] < 30 ? this.record.keys.get(event[2]) : null;
    if (key) {
      this.selected = key.lane;
      this.timeline.revealLane(key.lane);
      this.keys.reveal(key.lane);
    }
    setText("caption", `${clock(event[0])}  ${key ? `${short(key.text, 80)}: ` : ""}${line(this.record, event)}`);
    this.wake();
  }

  showEvent(n) {
    const event = this.record?.event(n);
    if (!event) return this.say("This event is not kept any more.");
    this.seek(event[0]);
    this.chooseEvent(n);
    this.timeline.reveal(event[0]);
  }

  eventItem(n) {
    const event = this.record.event(n);
    return h("li", h("button", { title: "Show this time", onclick: () => this.showEvent(n) },
      h("span.when", clock(event[0])), h("span.text", line(this.record, event))));
  }

  go(pane) {
    document.body.dataset.pane = pane;
    if (pane !== "timeline" && pane !== "detail") document.body.dataset.left = pane;
    this.markTabs();
    this.wake();
  }

  markTabs() {
    const { pane, left } = document.body.dataset;
    for (const tab of document.querySelectorAll("#tabs button")) setAttribute(tab, "aria-pressed", tab.dataset.to === (narrow.matches ? pane : left));
  }

  // MARK: Records

  /** Shows a record: another one, or the same one anew, which changes nothing else of the page. */
  show(record, isNew) {
    if (isNew) this.selectedEvent = null;
    else if (this.selectedEvent !== null) this.selectedEvent = record.index(this.record.number(this.selectedEvent));
    this.record = record;
    this.seenRevision = -1;
    this.wake();
    if (!isNew) return this.keys.renew(true);
    [this.newest, this.missed, this.held] = [0, 0, null];
    this.failing.clear();
    setText("caption", "");
    this.keys.reset();
    find("welcome").hidden = true;
    document.body.dataset.mode = this.opened ? "opened" : "live";
    this.at = this.edge();
    this.timeline.reset();
  }

  open(text, name) {
    let record;
    try {
      record = Recording.open(text);
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      this.say(error.message);
      return false;
    }
    // The app keeps its conditions as long as a page is there.
    const set = this.conditions().join(" · ");
    if (set) this.say(`In the app this goes on: ${set}.`);
    else this.leave();
    [this.opened, this.link, this.isFollowing, this.isPlaying, this.of, this.returns] = [name, "opened", false, false, null, false];
    this.watch();
    this.show(record, true);
    if (!this.lane()) this.selected = record.lanes.reduce((best, lane) => (lane.events.length > (best?.events.length ?? 0) ? lane : best), null);
    this.showLink();
    return true;
  }

  leave() {
    this.live?.close();
    this.facts = null;
  }

  connect() {
    // A saved record stays until that of the app comes.
    [this.returns, this.isFollowing] = [true, !this.opened];
    this.live?.close();
    this.live = new Live(this.secret, (kind, value) => this.heard(kind, value));
    this.watch();
  }

  heard(kind, value) {
    try {
      switch (kind) {
        case "record": if (!this.opened || this.returns) this.heardRecord(value); break;
        case "part": this.heardPart(value); break;
        case "held": this.release(); break;
        case "facts":
          this.facts = value !== null && typeof value === "object" ? value : null;
          this.factsNumber += 1;
          // Another page ended some, or events were lost.
          if (!(this.facts?.conditions?.failing >= this.failing.size)) this.failing.clear();
          if (this.opened && !this.conditions().length) this.leave();
          break;
        case "link":
          if (this.opened && !this.returns) {
            this.facts = null;
            break;
          }
          this.edge();
          this.link = value.state;
          this.refusal = value.says;
          if (value.state === "refused" && !this.record) this.welcome(value.says);
          if (value.state === "replaced") this.say(value.says ?? "");
          break;
      }
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      this.say(error.message);
      this.reconnectSoon();
    }
    this.showLink();
    this.wake();
  }

  heardRecord(json) {
    const old = this.of === this.live ? this.record : null;
    const keep = Math.max(kept, json?.events?.length || 0);
    const record = old ? old.renew(json) : new Recording(json, { keep });
    [this.heardAt, this.link, this.held, this.of, this.opened] = [performance.now(), "live", null, this.live, null];
    if (record === old) return;
    const isNew = old?.date !== record.date;
    if (old && !isNew) this.missed += Math.max(0, json.first - old.next);
    this.show(record, isNew);
    if (isNew) this.follow();
  }

  // After lost events each part is a whole record: the page takes one a second.
  heardPart(json) {
    if (!this.record || this.opened) return;
    if (json?.lost > 0) {
      this.missed += json.lost;
      this.held ??= [];
    }
    if (this.held?.push(json) === 1) setTimeout(() => this.heard("held"), Math.max(0, (this.renewedAt ?? 0) + 1000 - performance.now()));
    if (!this.held) this.take([json]);
  }

  release() {
    const parts = this.held ?? [];
    this.held = null;
    if (parts.length && !this.opened) this.take(parts.slice(parts.findLastIndex((part) => part?.lost > 0)));
  }

  take(parts) {
    const record = parts.reduce((record, part) => record.append(part), this.record);
    this.heardAt = performance.now();
    if (record === this.record) return;
    this.renewedAt = this.heardAt;
    this.show(record, false);
  }

  // Six pages share the connections of a browser to the app: one that nobody sees gives its own back.
  watch() {
    clearTimeout(this.hideTimer);
    if (!this.live || this.opened) return;
    if (!document.hidden) {
      if (this.link === "hidden" || this.link === "replaced") this.live.connect("connecting");
    } else if (!["hidden", "ended", "refused", "replaced"].includes(this.link)) {
      this.hideTimer = setTimeout(() => {
        if (this.conditions().length) return this.watch();
        this.live.close();
        this.heard("link", { state: "hidden" });
      }, this.hiddenFor);
    }
  }

  // A part that cannot be read: what it told is in the whole record. Not more than once in five seconds.
  reconnectSoon() {
    this.resync ??= setTimeout(() => {
      this.resync = null;
      if (this.live && !this.opened && this.link === "live") this.live.connect("connecting");
    }, 5000);
  }

  showLink() {
    const isMissing = this.link === "live" && this.missed > 0;
    setAttribute("link", "data-state", isMissing ? "missed" : this.link);
    let words = linkWords[this.link];
    if (this.link === "opened" && this.opened) words = short(this.opened, 60);
    if (isMissing) words = `Live, ${plural(this.missed, "event")} missed`;
    setText("link-text", words);
    // Told to a reader of the screen once for each state.
    setText("said", `${linkWords[this.link]}.${document.body.dataset.mode === "past" ? " The page shows the past." : ""}`);
    find("link").title = this.refusal ?? "";
    setText("client", this.opened ? "" : short(String(this.facts?.client ?? ""), 80));
    setText("to-now-text", this.opened ? (this.live ? "Back to the app" : "To the end") : "Follow");
    setAttribute("save-file", "aria-disabled", this.record ? null : "true");
    const reason = this.blocked();
    const offline = Boolean(this.facts?.conditions?.offline);
    setAttribute("offline", "aria-pressed", offline);
    setText("offline-text", offline ? "Go online" : "Go offline");
    setIcon(find("offline").firstChild, offline ? "wifi-off" : "wifi");
    const delay = find("delay");
    for (const control of [find("offline"), delay]) {
      setAttribute(control, "aria-disabled", reason ? "true" : null);
      control.title = reason ?? "";
    }
    const seconds = String(this.facts?.conditions?.delay ?? 0);
    if (document.activeElement !== delay) {
      if (![...delay.options].some((option) => option.value === seconds)) delay.append(h("option", { value: seconds }, `Slow: ${seconds} s`));
      delay.value = seconds;
    }
    find("conditions").hidden = !this.live;
  }

  /** Why nothing can be done now; null if it can. */
  blocked(isEnd = false) {
    if (this.opened) return isEnd ? null : "A saved record has no client to act on.";
    if (!this.live || !this.record) return "No app is connected.";
    if (this.link === "ended") return "The client was shut down.";
    if (this.link !== "live") return "The app cannot be reached.";
    if (this.facts?.allows?.actions === false) return "The app does not allow actions.";
    if (!this.isFollowing && !isEnd) return "The page shows the past. Follow to act on the present.";
    return null;
  }

  /** What pages have set that goes on until it is ended: a text for each. */
  conditions() {
    if (this.link === "ended" || !this.record) return [];
    const { offline, delay, failing } = this.facts?.conditions ?? {};
    const found = [];
    if (offline) found.push("app offline");
    if (delay) found.push(`attempts ${delay} s slower`);
    for (const [number, n] of this.failing) {
      const lane = this.record.keys.get(number)?.lane;
      if (!lane || lastFetch(this.record, lane, this.record.end) >= n) this.failing.delete(number);
      else found.push(`next fetch of ${short(lane.text, 40)} fails`);
    }
    // Other pages may have asked for some.
    if (failing && !this.failing.size) found.push(`${plural(failing, "fetch", "fetches")} to fail`);
    return found;
  }

  showConditions() {
    const found = this.conditions();
    setText("set-text", found.join(" · "));
    setAttribute("set-text", "title", find("set-text").said);
    find("set").hidden = !found.length;
  }

  endConditions() { return this.act({ do: "end" }, true); }

  /** Performs an action; the sentence of a refusal, or null. */
  async act(action, isEnd = false) {
    const reason = this.blocked(isEnd);
    if (reason) {
      this.say(reason);
      return reason;
    }
    try {
      const n = this.record.end;
      this.say(await this.live.act(action));
      if (action.do === "failNext") this.failing.set(action.key, n);
      if (action.do === "end") this.failing.clear();
      this.wake();
      return null;
    } catch (error) {
      this.say(error.message);
      return error.message;
    }
  }

  say(text) {
    const toast = find("toast");
    toast.textContent = short(text, 400);
    toast.dataset.shown = "true";
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => { toast.dataset.shown = "false"; }, 5000);
  }

  /** Saves what the page has: that may be more than the app has. */
  save() {
    if (!this.record) {
      this.say("There is no record to save.");
      return;
    }
    const blob = new Blob([JSON.stringify(this.record.save())], { type: "application/json" });
    const date = new Date(this.record.date * 1000);
    const name = Number.isNaN(date.getTime()) ? "record" : date.toISOString().slice(0, 19).replaceAll(":", "-");
    const link = h("a", { href: URL.createObjectURL(blob), download: `streamquery-record-${name}.json` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    document.body.dataset.saved = String(blob.size);
  }

  async openFile(file) {
    if (!file) return;
    if (file.size > 512e6) {
      this.say("The file is larger than 512 MB.");
      return;
    }
    this.open(await file.text(), file.name);
  }

  // MARK: Frames

  wake() {
    if (this.isAwake) return;
    this.isAwake = true;
    requestAnimationFrame(this.tick);
  }

  later(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.wake(), ms);
  }

  tick(time) {
    this.isAwake = false;
    const begin = performance.now();
    const { record } = this;
    if (!record) return;
    const passed = Math.min(100, time - (this.tickedAt ?? time));
    this.tickedAt = time;
    if (this.isPlaying) {
      this.at += passed * 1000 * this.speed;
      if (this.at >= this.edge()) {
        if (this.live && !this.opened) this.follow();
        else [this.at, this.isPlaying] = [this.edge(), false];
      }
    } else if (this.isFollowing) {
      this.at = Math.max(this.edge(), record.events.at(-1)?.[0] ?? 0);
    }
    // Older events are left out while newer ones come.
    if (this.at < record.start) {
      if (record.isCut && !this.isGone) this.say("The time that was shown is no longer kept.");
      [this.at, this.isGone] = [record.start, record.isCut];
    }
    this.end = this.isFollowing ? record.end : record.after(this.at);
    this.moment = record.momentBefore(this.end);
    const isNews = this.seenRevision !== record.revision || this.seenEnd !== this.end || Math.abs(this.at - (this.seenAt ?? 0)) > 250_000;
    if (isNews) {
      [this.seenRevision, this.seenEnd, this.seenAt] = [record.revision, this.end, this.at];
      this.keys.renew();
    }
    this.showTime();
    const { left, pane } = document.body.dataset;
    const isSeen = (name) => (narrow.matches ? pane === name : name === left || name === "detail" || name === "timeline");
    const { isScrolling } = this.keys;
    this.keys.isScrolling = false;
    const hasMore = this.keys.frame(begin + (isScrolling ? 1 : 3), time);
    if (isSeen("detail")) this.detail.frame();
    this.runs.frame(isSeen("runs"));
    this.cache.frame(isSeen("cache"));
    if (isSeen("timeline")) this.timeline.frame(time, isScrolling);
    this.worked = performance.now() - begin;
    if (this.isPlaying || this.keys.work) this.wake();
    else if (this.isFollowing && this.link === "live") this.later(still.matches ? 250 : 40);
    else if (hasMore) this.later(100);
  }

  showTime() {
    const edge = this.edge();
    setText("time", this.isFollowing ? clock(this.at, 1) : `${clock(this.at)} / ${clock(edge, 1)}`);
    const play = find("play-pause");
    const runs = this.isPlaying || this.isFollowing;
    if (play.runs !== runs) {
      play.runs = runs;
      setIcon(play.firstChild, runs ? "pause" : "play");
      play.setAttribute("aria-label", runs ? "Pause" : "Play");
    }
    setAttribute("to-now", "aria-pressed", this.isFollowing);
    const isPast = this.live !== null && !this.opened && !this.isFollowing;
    const mode = this.opened ? "opened" : isPast ? "past" : "live";
    if (document.body.dataset.mode !== mode) {
      document.body.dataset.mode = mode;
      this.showLink();
    }
    this.showConditions();
    const past = find("past");
    past.hidden = !isPast;
    const ago = `${clock(edge - this.at, 1)} before now`;
    if (isPast) setText(past, this.isGone ? `The time that was shown is no longer kept. The oldest that is: ${clock(this.at)}, ${ago}` : `The whole page shows ${clock(this.at)}: ${ago}`);
  }

  // MARK: Page

  listen() {
    for (const tab of document.querySelectorAll("#tabs button")) on(tab, "click", () => this.go(tab.dataset.to));
    on(narrow, "change", () => {
      this.markTabs();
      this.wake();
    });
    on("play-pause", "click", () => this.playOrPause());
    on("to-now", "click", () => this.follow());
    on("to-start", "click", () => this.toStart());
    on("prev", "click", () => this.stepEvent(-1));
    on("next-event", "click", () => this.stepEvent(1));
    on("speed", "change", (event) => { this.speed = Number(event.target.value); });
    on("offline", "click", () => this.act({ do: this.facts?.conditions?.offline ? "online" : "offline" }));
    on("delay", "change", async (event) => {
      const seconds = Number(event.target.value);
      event.target.blur();
      await this.act({ do: "delay", seconds });
      this.showLink();
    });
    on("legend-button", "click", () => {
      const legend = find("legend");
      legend.hidden = !legend.hidden;
      find("legend-button").setAttribute("aria-expanded", String(!legend.hidden));
    });
    on("open-file", "click", () => find("file").click());
    on("file", "change", (event) => {
      this.openFile(event.target.files[0]);
      event.target.value = "";
    });
    on("save-file", "click", () => this.save());
    on("set-end", "click", () => this.endConditions());
    this.listenToDrops();
    this.listenToSplit();
    on(document, "keydown", (event) => this.pressed(event));
    on(document, "visibilitychange", () => {
      this.watch();
      this.wake();
    });
  }

  listenToDrops() {
    const dragged = (isOver) => (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      document.body.dataset.drag = String(isOver);
      if (event.type === "drop") this.openFile(event.dataTransfer.files[0]);
    };
    on(document, "dragover", dragged(true));
    on(document, "drop", dragged(false));
    // Nothing is entered when the file leaves the window.
    on(document, "dragleave", (event) => event.relatedTarget ?? dragged(false)(event));
  }

  listenToSplit() {
    const split = find("split");
    const set = (share) => {
      const value = Math.round(Math.min(75, Math.max(20, share)));
      document.documentElement.style.setProperty("--share", `${value}%`);
      split.setAttribute("aria-valuenow", value);
    };
    on(split, "pointerdown", (event) => split.setPointerCapture(event.pointerId));
    on(split, "pointermove", (event) => {
      if (!split.hasPointerCapture(event.pointerId)) return;
      const box = document.querySelector("main").getBoundingClientRect();
      set(((box.bottom - event.clientY) / box.height) * 100);
    });
    on(split, "keydown", (event) => {
      const by = (share) => () => set(Number(split.getAttribute("aria-valuenow")) + share);
      press(event, { ArrowUp: by(3), ArrowDown: by(-3) });
    });
  }

  pressed(event) {
    const isIn = (names) => event.target.closest?.(names);
    if (find("editor").open || isIn("input, textarea, select")) return;
    press(event, {
      "/": () => {
        this.go("keys");
        find("filter").focus();
      },
      " ": isIn("button, summary, a") ? null : () => this.playOrPause(),
      ",": () => this.stepEvent(-1),
      ".": () => this.stepEvent(1),
    });
  }

  async welcome(says) {
    const box = find("welcome");
    const stories = await this.readStories();
    const button = h("button.button.strong", { onclick: () => find("file").click() }, icon("open"), "Open a record");
    box.replaceChildren(h("div", h("h2", says ? "This link is not accepted" : "See what a cache did"),
      says ? h("p", { id: "refusal" }, says)
        : h("p", "To watch an app, open the link that ", h("code", "Inspector(client).start()"), " prints. Or open a saved record: drop the file here."),
      h("div.cluster", button),
      stories.length ? h("ul", stories.map((story) => h("li", h("a", { href: `?open=stories/${story.file}` }, h("b", story.title), h("span", story.text))))) : null));
    box.hidden = false;
  }

  // A static page has stories beside it, and a list of them.
  async readStories() {
    try {
      const answer = await fetch("stories/index.json");
      if (!answer.ok) return [];
      const list = await answer.json();
      return list.filter((one) => isPlain(`stories/${one.file}`)).map((one) => ({ file: one.file, title: short(String(one.title), 80), text: short(String(one.text ?? ""), 240) }));
    } catch {
      return [];
    }
  }

  async openStory(path) {
    if (!isPlain(path)) {
      await this.welcome();
      this.say("The page opens records of its own folder only.");
      return;
    }
    let text;
    try {
      const answer = await fetch(path);
      if (!answer.ok) throw new Error(String(answer.status));
      text = await answer.text();
    } catch {
      await this.welcome();
      this.say(`There is no record at ${short(path, 120)}.`);
      return;
    }
    const stories = await this.readStories();
    const story = stories.find((one) => path === `stories/${one.file}`);
    if (!this.open(text, story?.title ?? path.split("/").at(-1))) {
      await this.welcome();
      return;
    }
    if (story?.text) setText("caption", story.text);
    if (stories.length) {
      const select = find("story");
      select.replaceChildren(...stories.map((one) => h("option", { value: `stories/${one.file}` }, one.title)));
      select.value = path;
      select.onchange = () => {
        const address = new URL(location.href);
        address.searchParams.set("open", select.value);
        location.assign(address);
      };
      select.hidden = false;
    }
  }

  begin() {
    this.secret = token();
    const path = new URL(location.href).searchParams.get("open");
    if (path !== null) this.openStory(path);
    else if (this.secret !== null) this.connect();
    else this.welcome();
    this.showLink();
  }
}

// A path in the folder of the page: no scheme, no host, no way up.
const isPlain = (path) => /^[\w-]+(\/[\w-]+)*(\.[\w-]+)*\.json$/.test(path);

const app = new App();
app.begin();
// For tests, and the browser's console.
window.inspector = app;
