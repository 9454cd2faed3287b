// The connection to an app: server-sent events in, actions out. `Protocol.md` of the package describes it.

/** The token of the link. It moves to the storage of this tab, so that a copied address has no secret. */
export function token() {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (given !== null) {
    store(given);
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
  }
  return given ?? stored();
}

let memory = null;
function store(value) {
  memory = value;
  try { sessionStorage.setItem("streamquery.token", value); } catch { /* This tab has no storage: a reload needs the link. */ }
}
function stored() {
  try { return sessionStorage.getItem("streamquery.token") ?? memory; } catch { return memory; }
}

/** A client's stream of records. `heard` gets `(kind, value)`: a record, part, facts, end, or the state of the link. */
export class Live {
  constructor(secret, heard) {
    this.secret = secret;
    this.heard = heard;
    this.wait = 500;
    this.connect("connecting");
  }

  connect(state) {
    this.source?.close();
    clearTimeout(this.timer);
    this.heard("link", { state });
    const source = new EventSource(`events?token=${encodeURIComponent(this.secret)}`);
    this.source = source;
    const listen = (name, then) => source.addEventListener(name, (event) => {
      if (this.source === source) then(event.data);
    });
    const read = (kind) => (data) => {
      let json;
      try {
        json = JSON.parse(data);
      } catch {
        this.connect("lost");
        return;
      }
      this.heard(kind, json);
    };
    listen("record", (data) => {
      this.wait = 500;
      read("record")(data);
    });
    listen("part", read("part"));
    listen("facts", read("facts"));
    listen("ask", () => this.act({ do: "stay" }).catch(() => {}));
    const over = (state) => (data) => {
      this.close();
      this.heard("link", { state, says: sentence(data) });
    };
    listen("end", over("ended"));
    listen("replaced", over("replaced"));
    source.onerror = () => {
      if (this.source !== source) return;
      source.close();
      this.ask(source);
    };
  }

  // An event source does not say why it failed: a request does.
  async ask(source) {
    this.heard("link", { state: "lost" });
    let status = 0;
    try {
      ({ status } = await this.request("detail?key=0"));
    } catch { /* Nobody listens. */ }
    // Closed, or connected again, in the meantime.
    if (this.source !== source) return;
    if (status === 401) this.heard("link", { state: "refused", says: refusals.token });
    else if (status === 403 || status === 421) this.heard("link", { state: "refused", says: refusals.place });
    else {
      this.timer = setTimeout(() => this.connect("lost"), this.wait);
      this.wait = Math.min(this.wait * 2, 5000);
    }
  }

  request(path, options = {}) {
    return fetch(path, { ...options, cache: "no-store", headers: { ...options.headers, "X-StreamQuery-Token": this.secret } });
  }

  async detail(key) {
    const answer = await this.request(`detail?key=${key}`);
    if (!answer.ok) throw new Error(await reason(answer));
    return answer.json();
  }

  /** Performs an action; the sentence that tells what was done. */
  async act(action) {
    const body = JSON.stringify(action);
    if (new Blob([body]).size > 2 ** 20) throw new Error("The app takes 1 MiB at most.");
    let answer;
    try {
      answer = await this.request("do", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    } catch {
      throw new Error("The app cannot be reached.");
    }
    if (!answer.ok) throw new Error(await reason(answer));
    return (await answer.json()).done ?? "Done.";
  }

  /** Ends the stream; `connect` begins another one. */
  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }
}

const refusals = {
  token: "The app does not accept this link. Open the link that it printed last.",
  place: "The app accepts pages of 127.0.0.1 and localhost only.",
};

function sentence(text) {
  try {
    const { error } = JSON.parse(text);
    return typeof error === "string" ? error : undefined;
  } catch { /* It has no sentence. */ }
}

async function reason(answer) {
  return answer.status === 401 ? refusals.token : sentence(await answer.text()) ?? `The app refused with status ${answer.status}.`;
}
