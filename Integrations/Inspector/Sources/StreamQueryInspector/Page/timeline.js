// The timeline: one lane a mutation, and one a key. Only the lanes in view are drawn.

import { dark, find, h, narrow, on, press, setAttribute, setText } from "./dom.js";
import { box, drawLane, drawRuns, fitted, polygon, signs } from "./lanes.js";
import { looks, matcher } from "./list.js";
import { code } from "./record.js";
import { clock, line, short } from "./words.js";

const head = 38;

export class Timeline {
  constructor(app) {
    this.app = app;
    [this.from, this.to] = [0, 10e6];
    this.isFitted = true;
    this.lanes = [];
    this.hits = [];
    this.pointers = new Map();
    this.top = 0;
    [this.scroller, this.canvas, this.overview, this.tall, this.tip] = ["lanes", "canvas", "overview", "tall", "tip"].map(find);
    this.measure = this.measure.bind(this);
    new ResizeObserver(this.measure).observe(this.scroller);
    new ResizeObserver(this.measure).observe(this.overview);
    on(narrow, "change", this.measure);
    on(dark, "change", () => {
      this.colours = null;
      this.app.wake();
    });
    on(this.scroller, "scroll", () => {
      this.top = this.scroller.scrollTop;
      this.app.wake();
    }, { passive: true });
    on(this.scroller, "wheel", (event) => this.wheeled(event), { passive: false });
    on(this.scroller, "keydown", (event) => this.pressed(event));
    this.listen(this.canvas);
    this.listenToOverview();
    on("zoom-in", "click", () => this.zoom(0.5));
    on("zoom-out", "click", () => this.zoom(2));
    on("zoom-fit", "click", () => this.fit());
  }

  reset() {
    this.filtered = null;
    this.isFitted = true;
    this.scroller.scrollTop = 0;
    this.fit();
  }

  measure() {
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    [this.width, this.height] = [this.scroller.clientWidth, this.scroller.clientHeight];
    this.wideWidth = this.overview.clientWidth;
    this.gutter = narrow.matches ? 118 : Math.min(260, Math.max(150, Math.round(this.width * 0.18)));
    this.size = narrow.matches ? 32 : 27;
    const fit = (canvas, width, height) => {
      if (canvas.width !== width * this.ratio || canvas.height !== height * this.ratio) {
        [canvas.width, canvas.height] = [width * this.ratio, height * this.ratio];
      }
    };
    fit(this.canvas, this.width, this.height);
    fit(this.overview, this.wideWidth, 36);
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.app.wake();
  }

  // MARK: The range of time

  get span() { return this.to - this.from; }

  fit() {
    const { record } = this.app;
    if (!record) return;
    this.isFitted = true;
    const [start, end] = [record.start, Math.max(this.app.edge(), record.start + 1e6)];
    this.from = start - (end - start) * 0.01;
    this.to = end + (end - start) * 0.02;
    this.app.wake();
  }

  zoom(factor, around = this.app.at) {
    const { record } = this.app;
    if (!record) return;
    const center = around >= this.from && around <= this.to ? around : (this.from + this.to) / 2;
    const longest = Math.max(this.app.edge() - record.start, 1e6) * 1.5;
    const span = Math.min(Math.max(this.span * factor, 200), longest);
    const share = (center - this.from) / this.span;
    this.from = center - span * share;
    this.to = this.from + span;
    this.isFitted = false;
    this.keepInside();
    this.app.wake();
  }

  pan(micros) {
    this.from += micros;
    this.to += micros;
    this.isFitted = false;
    this.keepInside();
    this.app.wake();
  }

  keepInside() {
    const { record } = this.app;
    const [start, end, span] = [record.start, this.app.edge(), this.span];
    if (this.to < start + span * 0.1) this.from = start - span * 0.9;
    if (this.from > end - span * 0.1) this.from = end - span * 0.1;
    this.to = this.from + span;
  }

  reveal(at) {
    if (at >= this.from && at <= this.to) return;
    const { span } = this;
    this.from = at - span / 2;
    this.to = this.from + span;
    this.isFitted = false;
  }

  // While the page follows, the newest time stays near the right edge; a whole record stays in view.
  follow() {
    const { app } = this;
    if (!app.isFollowing && !app.isPlaying) return;
    if (this.isFitted && app.isFollowing) {
      const longest = 60e6;
      const end = app.at;
      const span = Math.min(Math.max(end - app.record.start, 4e6), longest);
      [this.from, this.to] = [end - span * 1.0, end + span * 0.03];
    } else if (app.isFollowing) {
      const { span } = this;
      this.to = app.at + span * 0.03;
      this.from = this.to - span;
    } else if (!this.isFitted && (app.at > this.to || app.at < this.from)) {
      const { span } = this;
      this.from = app.at - span * 0.1;
      this.to = this.from + span;
    }
  }

  x(at) { return this.gutter + ((at - this.from) / this.span) * (this.width - this.gutter); }
  time(x) { return this.from + ((x - this.gutter) / (this.width - this.gutter)) * this.span; }

  // MARK: Lanes

  collect() {
    const { record } = this.app;
    const { text } = this.app.keys.by;
    if (this.of !== record) [this.of, this.filtered, this.search, this.seenRevision] = [record, null, null, -1];
    if (this.search || this.text !== text || this.seenLanes !== record.lanes || this.seenCount !== record.lanes.length) {
      if (this.text !== text || this.seenLanes !== record.lanes || !this.filtered) this.search = null;
      this.search ??= { matches: matcher(text), found: [], next: 0 };
      this.filtered ??= record.lanes;
      const { search } = this;
      if (!text) [search.found, search.next] = [record.lanes, record.lanes.length];
      for (const until = Math.min(record.lanes.length, search.next + 4000); search.next < until; search.next += 1) {
        if (search.matches(record.lanes[search.next])) search.found.push(record.lanes[search.next]);
      }
      if (search.next === record.lanes.length) {
        [this.filtered, this.search] = [search.found, null];
        this.seenCount = record.lanes.length;
      }
      [this.text, this.seenLanes] = [text, record.lanes];
      if (this.search) this.app.wake();
    }
    if (this.seenRevision !== record.revision) {
      const lanes = new Map();
      for (const run of record.runs.values()) {
        const name = run.scope ? `${run.text} · ${run.scope}` : run.text;
        const lane = lanes.get(name) ?? { text: run.text, name, runs: [], isMutation: true, overlaps: false, until: -Infinity };
        // Runs that wait for others overlap with them: each second one has a row of its own.
        lane.overlaps ||= run.started < lane.until;
        const end = run.events.findLast((n) => record.event(n)[1] >= code.runSucceeded);
        lane.until = Math.max(lane.until, end === undefined ? Infinity : record.event(end)[0]);
        lane.runs.push(run);
        lanes.set(name, lane);
      }
      this.mutations = [...lanes.values()].slice(0, 500);
      this.seenRevision = record.revision;
    }
    this.count = this.mutations.length + this.filtered.length;
    const rest = Math.max(0, head + this.count * this.size + 10 - this.height);
    if (this.rest !== rest) {
      this.rest = rest;
      this.tall.style.height = `${rest}px`;
    }
  }

  lane(index) {
    return index < this.mutations.length ? this.mutations[index] : this.filtered[index - this.mutations.length];
  }

  nameOf(lane) { return lane.name ?? this.app.record.name(lane); }

  revealLane(lane) {
    if (!this.filtered) return;
    const index = this.filtered.indexOf(lane);
    if (index < 0) return;
    const top = (index + this.mutations.length) * this.size;
    if (top < this.scroller.scrollTop || top + this.size > this.scroller.scrollTop + this.height - head) {
      this.scroller.scrollTop = Math.max(0, top - (this.height - head) / 2);
      this.top = this.scroller.scrollTop;
    }
  }

  // MARK: Drawing

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const names = ["ground", "panel", "selected", "line", "ink", "soft", "accent", ...looks, "layer"];
    this.colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.colours.onAccent = style.getPropertyValue("--on-accent").trim();
    this.mono = `11.5px ${style.getPropertyValue("--mono").trim()}`;
    this.sans = `11px ${style.getPropertyValue("--sans").trim()}`;
    this.patterns = new Map();
  }

  showLegend() {
    find("legend").replaceChildren(...signs.map(([text, draw]) => {
      const canvas = h("canvas", { width: 34 * this.ratio, height: 16 * this.ratio, "aria-hidden": "true" });
      const g = canvas.getContext("2d");
      g.scale(this.ratio, this.ratio);
      draw({ g, colours: this.colours, hatch: (name) => this.hatch(name), x: (at) => at, from: 0, size: 16 });
      return h("span", canvas, text);
    }));
  }

  hatch(name) {
    let pattern = this.patterns.get(name);
    if (!pattern) {
      const tile = document.createElement("canvas");
      const side = 6 * this.ratio;
      [tile.width, tile.height] = [side, side];
      const g = tile.getContext("2d");
      g.scale(this.ratio, this.ratio);
      box(g, this.colours[name], 0, 0, 6, 6, 0.25);
      g.strokeStyle = this.colours[name];
      g.lineWidth = 1.7;
      g.beginPath();
      for (const d of [-6, 0, 6]) {
        g.moveTo(d - 1, 7);
        g.lineTo(d + 7, -1);
      }
      g.stroke();
      pattern = g.createPattern(tile, "repeat");
      pattern.setTransform(new DOMMatrix().scale(1 / this.ratio));
      this.patterns.set(name, pattern);
    }
    return pattern;
  }

  frame(time, isScrolling) {
    const { app } = this;
    if (!app.record || !this.width || !this.height) return;
    // While the list of keys scrolls, a picture that is a little old does.
    if (app.isFollowing && time - this.drawnAt < (isScrolling ? 200 : 30)) return;
    const look = [app.record.revision, app.at, this.from, this.to, this.top, app.lane()?.number, app.selectedEvent, this.width, this.height, this.wideWidth, this.size, app.keys.by.text].join();
    if (look === this.look && this.colours && this.of === app.record && !this.search) return;
    [this.look, this.drawnAt] = [look, time];
    if (!this.colours || this.patternRatio !== this.ratio) {
      this.readColours();
      this.patternRatio = this.ratio;
      this.showLegend();
    }
    this.collect();
    this.follow();
    this.draw();
    this.drawOverview();
  }

  draw() {
    const { app, colours, width, height, gutter, size } = this;
    const { record } = app;
    const g = this.canvas.getContext("2d");
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.textBaseline = "middle";
    box(g, colours.panel, 0, 0, width, height);
    this.hits = [];
    const selected = app.lane();
    const first = Math.floor(this.top / size);
    const last = Math.min(this.count, Math.ceil((this.top + height - head) / size));
    const view = {
      g, record, colours, size, from: Math.max(this.from, record.start), to: this.to, end: app.edge(), x: (at) => this.x(at),
      hatch: (name) => this.hatch(name), font: this.sans, selectedEvent: app.selectedEvent,
      hit: (a, b, y, tall, n, lane) => this.hits.push({ a, b, y, tall, n, lane }),
    };
    g.save();
    g.beginPath();
    g.rect(gutter, head, width - gutter, height - head);
    g.clip();
    this.drawGrid(g);
    for (let index = first; index < last; index += 1) {
      const y = head + index * size - this.top;
      const lane = this.lane(index);
      if (lane === selected) {
        box(g, colours.selected, gutter, y, width - gutter, size);
      }
    }
    const start = this.x(record.start);
    if (start > gutter) {
      box(g, colours.ground, gutter, head, start - gutter, height);
      g.font = this.sans;
      g.fillStyle = colours.soft;
      if (record.isCut && start - gutter > 64) g.fillText("not kept", start - 54, head + 12);
    }
    this.drawBands(g);
    for (let index = first; index < last; index += 1) {
      const y = head + index * size - this.top;
      const lane = this.lane(index);
      if (lane.isMutation) drawRuns(view, lane, y);
      else drawLane(view, lane, y);
      box(g, colours.line, gutter, y + size - 0.5, width - gutter, index === this.mutations.length - 1 ? 1.5 : 0.5);
    }
    const at = this.x(app.at);
    const end = this.x(app.edge());
    if (end < width) box(g, colours.ground, Math.max(end, gutter), head, width - end, height - head);
    if (!app.isFollowing && at < end) box(g, colours.panel, Math.max(at, gutter), head, end - at, height - head, 0.55);
    g.restore();
    this.drawNames(g, first, last, selected);
    this.drawRuler(g, at);
  }

  // Lines of the ruler are apart by 1, 2 or 5 times a power of ten, or by whole seconds and minutes.
  step() {
    const least = (this.span / Math.max(1, (this.width - this.gutter) / (narrow.matches ? 74 : 92)));
    for (const step of [60e6, 120e6, 300e6, 600e6, 1800e6, 3600e6, 7200e6, 21600e6, 86400e6]) if (step >= least && least > 30e6) return step;
    const power = 10 ** Math.floor(Math.log10(least));
    return power * [1, 2, 5, 10].find((factor) => power * factor >= least);
  }

  drawGrid(g) {
    const step = this.step();
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) box(g, this.colours.line, Math.round(this.x(at)), head, 1, this.height, 0.6);
  }

  // Times without network, and with an inactive app.
  bands() {
    const { record } = this.app;
    const seen = `${record.revision} ${record.end}`;
    if (this.bandsOf === record && this.bandsSeen === seen) {
      for (const band of this.shownBands) if (band.isOpen) band.to = this.app.edge();
      return this.shownBands;
    }
    [this.bandsOf, this.bandsSeen] = [record, seen];
    const bands = [];
    for (const [kind, name, colour] of [[code.network, "offline", "stale"], [code.activity, "app inactive", "pending"]]) {
      let since = (kind === code.network ? record.base.network : record.base.activity) ? null : -Infinity;
      for (const n of record.conditions) {
        const event = record.event(n);
        if (event[1] !== kind) continue;
        if (!event[2] && since === null) since = event[0];
        else if (event[2] && since !== null) {
          bands.push({ name, colour, from: since, to: event[0] });
          since = null;
        }
      }
      if (since !== null) bands.push({ name, colour, from: since, to: this.app.edge(), isOpen: true });
    }
    return bands;
  }

  drawBands(g) {
    this.shownBands = this.bands();
    for (const band of this.shownBands) {
      const [a, b] = [this.x(Math.max(band.from, this.from)), this.x(Math.min(band.to, this.to))];
      if (b > a) box(g, this.colours[band.colour], a, head, b - a, this.height, 0.12);
    }
  }

  drawNames(g, first, last, selected) {
    const { colours, gutter, size, height } = this;
    box(g, colours.panel, 0, head, gutter, height);
    g.save();
    g.beginPath();
    g.rect(0, head, gutter, height);
    g.clip();
    for (let index = first; index < last; index += 1) {
      const lane = this.lane(index);
      const y = head + index * size - this.top;
      if (lane === selected) {
        box(g, colours.selected, 0, y, gutter, size);
        box(g, colours.accent, 0, y, 3, size);
      }
      g.font = this.mono;
      g.fillStyle = lane.isMutation ? colours.layer : colours.ink;
      lane.fits ??= {};
      const room = gutter - 20 - (lane.isMutation ? 12 : 0);
      const name = this.nameOf(lane);
      if (lane.fits.room !== room || lane.fits.name !== name) lane.fits = { room, name, text: fitted(g, name, room) };
      g.fillText(lane.fits.text, 12 + (lane.isMutation ? 12 : 0), y + size / 2 + 0.5);
      if (lane.isMutation) polygon(g, colours.layer, 11, y + size / 2, [0, -4], [8, 0], [0, 4]);
      box(g, colours.line, 0, y + size - 0.5, gutter, index === this.mutations.length - 1 ? 1.5 : 0.5);
    }
    g.restore();
    box(g, colours.line, gutter - 0.5, 0, 1, height);
  }

  drawRuler(g, at) {
    const { colours, gutter, width, app } = this;
    box(g, colours.panel, 0, 0, width, head);
    g.font = this.sans;
    g.save();
    g.beginPath();
    g.rect(gutter, 0, width - gutter, head);
    g.clip();
    const step = this.step();
    const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / 1e6))));
    g.fillStyle = colours.soft;
    for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) {
      const x = Math.round(this.x(time));
      g.fillRect(x, 15, 1, 6);
      g.fillText(clock(time, digits), x + 4, 11);
    }
    for (const band of this.shownBands) {
      const [a, b] = [Math.max(this.x(band.from), gutter), Math.min(this.x(band.to), width)];
      if (b <= a) continue;
      box(g, this.hatch(band.colour), a, 24, b - a, 11);
      const room = g.measureText(band.name).width;
      if (b - a > room + 12) {
        box(g, colours.panel, a + 3, 24, room + 8, 11);
        g.fillStyle = colours[band.colour];
        g.fillText(band.name, a + 7, 30);
      }
    }
    const { conditions } = app.record;
    const [first, last] = app.record.range(conditions, this.from, this.to);
    let drawn = -9;
    for (const n of conditions.slice(first, last)) {
      const event = app.record.event(n);
      const x = this.x(event[0]);
      if (x - drawn < 1 || event[1] === code.network || event[1] === code.activity) continue;
      drawn = x;
      g.fillStyle = event[1] === code.storeFailed || event[1] === code.lost ? colours.error : colours.accent;
      g.beginPath();
      g.arc(x, 29.5, 3, 0, 7);
      g.fill();
      this.hits.push({ a: x - 6, b: x + 6, y: 22, tall: 16, n, lane: null });
    }
    g.restore();
    g.font = this.sans;
    g.fillStyle = colours.soft;
    g.fillText(this.mutations.length ? "Mutations, keys" : "Keys", 12, 12);
    box(g, colours.line, 0, head - 1, width, 1);
    if (at >= gutter && at <= width) {
      box(g, colours.accent, at - 0.75, 6, 1.5, this.height);
      polygon(g, colours.accent, at, 0, [-6, 0], [6, 0], [6, 7], [0, 13], [-6, 7]);
    }
  }

  drawOverview() {
    const { app, colours, wideWidth: width } = this;
    const { record } = app;
    const [start, end] = [record.start, Math.max(app.edge(), record.start + 1)];
    const g = this.overview.getContext("2d");
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    box(g, colours.ground, 0, 0, width, 36);
    const x = (at) => 8 + ((at - start) / (end - start)) * (width - 16);
    for (const band of this.shownBands) {
      const a = x(Math.max(band.from, start));
      box(g, this.hatch(band.colour), a, 0, x(band.to) - a, 36, 0.5);
    }
    const bins = Math.max(1, Math.floor((width - 16) / 4));
    const counts = [];
    let before = record.after(start - 1);
    for (let i = 1; i <= bins; i += 1) {
      const next = record.after(start + ((end - start) * i) / bins);
      counts.push(next - before);
      before = next;
    }
    const greatest = Math.log1p(Math.max(...counts, 1));
    counts.forEach((count, i) => {
      const height = Math.max(2, (Math.log1p(count) / greatest) * 26);
      if (count) box(g, colours.soft, 8 + i * 4, 33 - height, 3, height);
    });
    const [a, b] = [Math.max(2, x(this.from)), Math.min(width - 2, x(this.to))];
    box(g, colours.accent, a, 1, b - a, 34, 0.13);
    g.strokeStyle = colours.accent;
    g.lineWidth = 1;
    g.strokeRect(a + 0.5, 1.5, Math.max(1, b - a - 1), 33);
    box(g, colours.accent, x(app.at) - 1, 0, 2, 36);
    setAttribute(this.overview, "aria-valuenow", Math.round(((app.at - start) / (end - start)) * 100));
    setAttribute(this.overview, "aria-valuetext", clock(app.at, 1));
  }

  // MARK: Input

  wheeled(event) {
    if (!this.app.record) return;
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const isPinch = event.ctrlKey || event.metaKey || event.altKey;
    const isSide = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const scrolls = this.rest > 0 && y > head;
    const unit = event.deltaMode === 1 ? 16 : 1;
    if (isPinch || (!isSide && !scrolls)) {
      event.preventDefault();
      const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY * unit)) * (event.ctrlKey ? 0.012 : 0.004));
      this.zoom(factor, this.app.isFollowing ? this.app.at : this.time(x));
    } else if (isSide) {
      event.preventDefault();
      if (this.app.isFollowing) this.app.seek(this.app.at);
      this.pan(((event.deltaX || event.deltaY) * unit * this.span) / (this.width - this.gutter));
    }
  }

  listen(canvas) {
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    on(canvas, "pointerdown", (event) => {
      if (event.button !== 0 || !this.app.record) return;
      const at = place(event);
      this.pointers.set(event.pointerId, at);
      if (this.pointers.size === 1) this.drag = { begin: at, last: at, isRuler: at.y < 22 && at.x > this.gutter, isMoved: false };
      canvas.setPointerCapture(event.pointerId);
      if (this.drag?.isRuler) this.app.seek(this.time(at.x));
    });
    on(canvas, "pointermove", (event) => {
      const at = place(event);
      if (!this.pointers.has(event.pointerId)) {
        this.hover(at);
        return;
      }
      if (this.pointers.size === 2) {
        const gap = () => {
          const [a, b] = [...this.pointers.values()];
          return Math.max(20, Math.abs(a.x - b.x));
        };
        const before = gap();
        this.pointers.set(event.pointerId, at);
        const [a, b] = [...this.pointers.values()];
        this.zoom(before / gap(), this.time((a.x + b.x) / 2));
        if (this.drag) this.drag.isMoved = true;
        return;
      }
      this.pointers.set(event.pointerId, at);
      const { drag } = this;
      if (!drag) return;
      if (Math.abs(at.x - drag.begin.x) > 4) drag.isMoved = true;
      if (drag.isRuler) this.app.seek(this.time(at.x));
      else if (drag.isMoved && at.x !== drag.last.x) {
        if (this.app.isFollowing) this.app.seek(this.app.at);
        this.pan(((drag.last.x - at.x) * this.span) / (this.width - this.gutter));
      }
      drag.last = at;
    });
    const ended = (event) => {
      if (!this.pointers.delete(event.pointerId)) return;
      if (event.type === "pointerup" && this.drag && !this.drag.isMoved && !this.drag.isRuler) this.clicked(place(event));
      if (!this.pointers.size) this.drag = null;
    };
    on(canvas, "pointerup", ended);
    on(canvas, "pointercancel", ended);
    on(canvas, "pointerleave", () => this.hover(null));
  }

  hitAt({ x, y }) {
    let best = null;
    for (const hit of this.hits) {
      if (y < hit.y || y > hit.y + hit.tall || x < hit.a - 3 || x > hit.b + 3) continue;
      const distance = hit.b - hit.a;
      if (!best || distance <= best.distance) best = { ...hit, distance };
    }
    return best;
  }

  laneAt({ y }) {
    if (y < head) return null;
    const index = Math.floor((y - head + this.top) / this.size);
    return index < this.count ? this.lane(index) : null;
  }

  clicked(at) {
    const hit = this.hitAt(at);
    const lane = this.laneAt(at);
    if (hit) this.app.showEvent(hit.n);
    else if (lane && !lane.isMutation) this.app.select(lane, !narrow.matches);
    else if (lane) this.app.go("runs");
  }

  hover(at) {
    const hit = at && this.hitAt(at);
    const lane = at && at.x < this.gutter ? this.laneAt(at) : null;
    this.tip.hidden = !hit && !lane;
    this.canvas.style.cursor = hit || lane ? "pointer" : at && at.y < 22 ? "ew-resize" : "default";
    if (!hit && !lane) return;
    const { record } = this.app;
    const event = hit ? record.event(hit.n) : null;
    setText(this.tip, event ? `${clock(event[0])}  ${line(record, event)}` : short(this.nameOf(lane), 300));
    const room = this.tip.offsetWidth;
    const top = this.scroller.offsetTop;
    const x = Math.max(6, Math.min(at.x + 12, this.width - room - 6));
    const y = at.y + top + 18 + this.tip.offsetHeight > this.scroller.offsetTop + this.height ? at.y + top - this.tip.offsetHeight - 10 : at.y + top + 18;
    this.tip.style.transform = `translate(${x}px, ${y}px)`;
  }

  listenToOverview() {
    const { overview } = this;
    const seek = (event) => {
      const { record } = this.app;
      if (!record) return;
      const box = overview.getBoundingClientRect();
      const share = Math.min(1, Math.max(0, (event.clientX - box.left - 8) / (box.width - 16)));
      this.app.seek(record.start + share * (this.app.edge() - record.start));
      this.reveal(this.app.at);
    };
    on(overview, "pointerdown", (event) => {
      overview.setPointerCapture(event.pointerId);
      seek(event);
    });
    on(overview, "pointermove", (event) => {
      if (overview.hasPointerCapture(event.pointerId)) seek(event);
    });
    on(overview, "keydown", (event) => {
      const { record } = this.app;
      if (!record) return;
      const whole = this.app.edge() - record.start;
      const to = (at) => {
        this.app.seek(at);
        this.reveal(this.app.at);
      };
      const by = (share) => () => to(this.app.at + whole * share);
      press(event, {
        ArrowLeft: by(-0.01), ArrowDown: by(-0.01), ArrowRight: by(0.01), ArrowUp: by(0.01), PageDown: by(-0.1), PageUp: by(0.1),
        Home: () => to(record.start), End: () => this.app.follow(),
      });
    });
  }

  pressed(event) {
    const { app } = this;
    if (!app.record) return;
    const step = (by) => () => {
      const lane = app.lane();
      if (!lane?.events.length) return;
      let place = lane.events.indexOf(app.selectedEvent);
      if (place < 0) place = lane.events.findLastIndex((n) => app.record.event(n)[0] <= app.at) + (by < 0 ? 1 : 0);
      const n = lane.events[Math.min(Math.max(place + by, 0), lane.events.length - 1)];
      app.chooseEvent(n);
      this.reveal(app.record.event(n)[0]);
    };
    const move = (by) => () => {
      const index = this.filtered.indexOf(app.lane());
      const lane = this.filtered[Math.min(Math.max(index + by, 0), this.filtered.length - 1)];
      if (lane) app.select(lane, false);
    };
    const [nearer, farther] = [() => this.zoom(0.5), () => this.zoom(2)];
    press(event, {
      ArrowLeft: step(-1), ArrowRight: step(1), ArrowUp: move(-1), ArrowDown: move(1),
      PageUp: () => this.pan(-this.span * 0.8), PageDown: () => this.pan(this.span * 0.8),
      Home: () => app.toStart(), End: () => app.follow(), "+": nearer, "=": nearer, "-": farther, _: farther, 0: () => this.fit(),
      Enter: () => app.selectedEvent !== null && app.showEvent(app.selectedEvent),
    });
  }
}

