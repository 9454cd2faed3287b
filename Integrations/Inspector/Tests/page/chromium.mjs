// Drives Chromium through its own protocol, over a pipe: no package is needed. Waits end with what is waited for, or fail.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const patience = 30_000;

export function chromium() {
  const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];
  return places.find((place) => place && existsSync(place)) ?? null;
}

const within = (promise, what, time = patience) => {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`waited too long: ${what}`)), time); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

export class Browser {
  static async start() {
    const place = chromium();
    if (!place) return null;
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), "inspector-chromium-"));
    browser.child = spawn(place, ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run", "--no-default-browser-check",
      "--disable-gpu", "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
      "--disable-dev-shm-usage", "--force-color-profile=srgb", "--hide-scrollbars=false", `--user-data-dir=${browser.folder}`, "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.listen();
    await browser.send("Browser.getVersion");
    return browser;
  }

  constructor() {
    [this.number, this.calls, this.listeners, this.rest] = [0, new Map(), new Set(), []];
  }

  listen() {
    this.child.stdio[4].on("data", (data) => {
      let from = 0;
      for (let end = data.indexOf(0); end >= 0; end = data.indexOf(0, from)) {
        this.rest.push(data.subarray(from, end));
        const message = JSON.parse(Buffer.concat(this.rest).toString("utf8"));
        this.rest = [];
        from = end + 1;
        this.heard(message);
      }
      if (from < data.length) this.rest.push(data.subarray(from));
    });
    this.child.once("exit", () => {
      for (const { reject } of this.calls.values()) reject(new Error("Chromium ended"));
      this.calls.clear();
    });
    this.child.stdio[3].on("error", () => {});
  }

  heard(message) {
    if (message.id === undefined) {
      for (const listener of [...this.listeners]) listener(message);
      return;
    }
    const call = this.calls.get(message.id);
    this.calls.delete(message.id);
    if (message.error) call?.reject(new Error(`${call.method}: ${message.error.message}`));
    else call?.resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    this.number += 1;
    const id = this.number;
    const answer = new Promise((resolve, reject) => this.calls.set(id, { resolve, reject, method }));
    this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return within(answer, method, patience * 2);
  }

  /** The next event that matches. */
  event(matches, what = "an event") {
    let listener;
    const heard = new Promise((resolve) => {
      listener = (message) => matches(message) && resolve(message.params);
      this.listeners.add(listener);
    });
    return within(heard, what).finally(() => this.listeners.delete(listener));
  }

  async page(url, size) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    for (const domain of ["Page", "Runtime", "Log", "DOM"]) await page.send(`${domain}.enable`);
    await page.resize(size ?? { width: 1280, height: 800 });
    if (url) await page.open(url);
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.send("Browser.close").catch(() => {});
    await within(ended, "Chromium to end", 5000).catch(() => this.child.kill("SIGKILL"));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class Page {
  constructor(browser, sessionId, targetId) {
    Object.assign(this, { browser, sessionId, targetId, problems: [] });
    browser.listeners.add((message) => {
      if (message.sessionId !== sessionId) return;
      if (message.method === "Runtime.exceptionThrown") this.problems.push(message.params.exceptionDetails.exception?.description ?? message.params.exceptionDetails.text);
      if (message.method === "Log.entryAdded" && message.params.entry.level === "error" && message.params.entry.source !== "network") this.problems.push(message.params.entry.text);
      if (message.method === "Runtime.consoleAPICalled" && message.params.type === "error") this.problems.push(String(message.params.args[0]?.value));
    });
  }

  send(method, params) { return this.browser.send(method, params, this.sessionId); }

  loaded(what = "a page") { return this.browser.event((message) => message.sessionId === this.sessionId && message.method === "Page.loadEventFired", `${what} to load`); }

  async open(url) {
    const loaded = this.loaded(url);
    const { errorText } = await this.send("Page.navigate", { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    await loaded;
  }

  resize({ width, height, isPhone = false, scale = 1 }) {
    return this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: isPhone });
  }

  media({ scheme = "light", still = false }) {
    return this.send("Emulation.setEmulatedMedia", { features: [
      { name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: still ? "reduce" : "no-preference" }] });
  }

  /** Runs a function in the page. */
  async run(f, ...args) {
    const expression = `(${f})(...${JSON.stringify(args)})`;
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until a function in the page is true: it is asked again after each mutation of the document. */
  async until(f, ...args) {
    try {
      return await this.run(`async (...args) => {
        const test = ${f};
        const found = test(...args);
        if (found) return found;
        return new Promise((resolve, reject) => {
          const observer = new MutationObserver(() => {
            try {
              const value = test(...args);
              if (!value) return;
              clearTimeout(timer);
              observer.disconnect();
              resolve(value);
            } catch (error) { reject(error); }
          });
          observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
          const timer = setTimeout(() => {
            observer.disconnect();
            const value = test(...args);
            if (value) resolve(value); else reject(new Error("it never became true"));
          }, ${patience});
        });
      }`, ...args);
    } catch (error) {
      throw new Error(`${error.message.split("\n")[0]}: ${f} ${JSON.stringify(args)}`);
    }
  }

  /** Waits until the page has drawn a frame. */
  frame() { return this.run(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))); }

  async place(selector) {
    await this.until((one) => document.querySelector(one)?.getClientRects().length > 0, selector);
    return this.run((one) => {
      const element = document.querySelector(one);
      element.scrollIntoView({ block: "nearest", inline: "nearest" });
      const box = element.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2, left: box.x, top: box.y, width: box.width, height: box.height };
    }, selector);
  }

  async click(selector) {
    const { x, y } = await this.place(selector);
    await this.clickAt(x, y);
  }

  async clickAt(x, y) {
    await this.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    await this.send("Input.dispatchMouseEvent", { type: "mousePressed", x, y, button: "left", clickCount: 1 });
    await this.send("Input.dispatchMouseEvent", { type: "mouseReleased", x, y, button: "left", clickCount: 1 });
  }

  async drag(x, y, dx, dy) {
    await this.send("Input.dispatchMouseEvent", { type: "mousePressed", x, y, button: "left", buttons: 1, clickCount: 1 });
    for (let i = 1; i <= 4; i += 1) await this.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: x + (dx * i) / 4, y: y + (dy * i) / 4, button: "left", buttons: 1 });
    await this.send("Input.dispatchMouseEvent", { type: "mouseReleased", x: x + dx, y: y + dy, button: "left", clickCount: 1 });
  }

  wheel(x, y, deltaX, deltaY, modifiers = 0) { return this.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX, deltaY, modifiers }); }

  async key(name, text = undefined) {
    const codes = { Enter: 13, Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Tab: 9, Home: 36, End: 35, " ": 32 };
    const key = { key: name, code: name.length > 1 ? name : undefined, windowsVirtualKeyCode: codes[name] ?? name.toUpperCase().charCodeAt(0) };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", text, ...key });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  }

  async type(selector, text) {
    await this.run((one) => {
      const element = document.querySelector(one);
      element.focus();
      element.select?.();
    }, selector);
    await this.send("Input.insertText", { text });
  }

  async choose(selector, value) {
    await this.run((one, chosen) => {
      const element = document.querySelector(one);
      element.value = chosen;
      element.dispatchEvent(new Event("change", { bubbles: true }));
    }, selector, value);
  }

  async giveFile(selector, path) {
    const { root } = await this.send("DOM.getDocument");
    const { nodeId } = await this.send("DOM.querySelector", { nodeId: root.nodeId, selector });
    await this.send("DOM.setFileInputFiles", { nodeId, files: [path] });
  }

  async drop(x, y, path) {
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) await this.send("Input.dispatchDragEvent", { type, x, y, data });
  }

  text(selector) { return this.run((one) => document.querySelector(one)?.textContent ?? null, selector); }

  async shot(path) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    writeFileSync(path, Buffer.from(data, "base64"));
  }

  /** Makes this page the visible one: the others get no frames. */
  front() { return this.send("Page.bringToFront"); }

  close() { return this.browser.send("Target.closeTarget", { targetId: this.targetId }); }

  /** The work of each frame while `during` runs: milliseconds of scripting and layout. */
  async frames(during) {
    const events = [];
    const listener = (message) => {
      if (message.method === "Tracing.dataCollected") events.push(...message.params.value);
    };
    this.browser.listeners.add(listener);
    await this.browser.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["devtools.timeline", "blink.user_timing", "__metadata"] } }, this.sessionId);
    await during();
    const complete = this.browser.event((message) => message.method === "Tracing.tracingComplete", "the trace");
    await this.browser.send("Tracing.end", {}, this.sessionId);
    await complete;
    this.browser.listeners.delete(listener);
    return framesOf(events);
  }
}

const work = new Set(["FunctionCall", "EvaluateScript", "FireAnimationFrame", "TimerFire", "EventDispatch", "RunMicrotasks", "Layout", "UpdateLayoutTree",
  "ParseHTML", "v8.parseOnBackground", "MinorGC", "MajorGC"]);

// Work on the thread of the page, summed up between the begins of its frames.
function framesOf(events) {
  const mine = events.find((event) => event.name === "FireAnimationFrame") ?? events.find((event) => event.name === "FunctionCall");
  if (!mine) return { frames: 0, median: 0, p95: 0, most: 0 };
  const same = events.filter((event) => event.pid === mine.pid && event.tid === mine.tid);
  const begins = same.filter((event) => event.name === "BeginMainThreadFrame" || event.name === "BeginFrame").map((event) => event.ts).sort((a, b) => a - b);
  // The outermost pieces of work, with their time on the processor: other programs on the machine do not count.
  const outermost = [];
  for (const event of same.filter((one) => one.ph === "X" && work.has(one.name)).sort((a, b) => a.ts - b.ts)) {
    const last = outermost.at(-1);
    if (!last || event.ts >= last.ts + last.dur) outermost.push({ ts: event.ts, dur: event.dur ?? 0, own: event.tdur ?? event.dur ?? 0 });
  }
  const starts = begins.length ? begins : same.filter((event) => event.name === "FireAnimationFrame").map((event) => event.ts).sort((a, b) => a - b);
  const sums = starts.map((from, i) => {
    const to = starts[i + 1] ?? Infinity;
    return outermost.reduce((sum, one) => sum + (one.ts >= from && one.ts < to ? one.own : 0), 0) / 1000;
  }).filter((sum) => sum > 0).sort((a, b) => a - b);
  if (process.env.INSPECTOR_TRACE) {
    const slow = starts.map((from, i) => [from, starts[i + 1] ?? Infinity]).map(([from, to]) => {
      const inside = same.filter((event) => event.ph === "X" && event.ts >= from && event.ts < to && event.dur > 1000);
      return { sum: inside.reduce((sum, event) => sum + (event.name === "RunTask" || event.name.endsWith("RunTask") ? 0 : event.dur), 0) / 1000, inside };
    }).sort((a, b) => b.sum - a.sum).slice(0, 4);
    for (const { inside } of slow) console.log("---", inside.map((event) => `${event.name} ${(event.dur / 1000).toFixed(1)}/${((event.tdur ?? 0) / 1000).toFixed(1)} ${event.args?.data?.functionName ?? event.args?.data?.type ?? ""}`).join(" | "));
  }
  const at = (share) => sums[Math.min(sums.length - 1, Math.floor(sums.length * share))] ?? 0;
  return { frames: sums.length, median: at(0.5), p95: at(0.95), most: sums.at(-1) ?? 0, top: sums.slice(-5) };
}
