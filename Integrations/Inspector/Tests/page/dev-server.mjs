// Serves the page with a client that is not there, over the protocol of the real server: `node dev-server.mjs [port] [keys]`.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Pretend } from "./pretend.mjs";

const page = new URL("../../Sources/StreamQueryInspector/Page/", import.meta.url);
const types = { html: "text/html; charset=utf-8", css: "text/css", js: "text/javascript", svg: "image/svg+xml", json: "application/json" };

export function serve({ port = 0, token = "secret", pretend = new Pretend(), isReal = true, stories = {} } = {}) {
  const streams = new Set();
  let begin = performance.now() - pretend.now / 1000;
  const advance = () => pretend.advance((performance.now() - begin) * 1000);
  const send = (stream, name, value) => stream.response.write(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`);
  const flush = () => {
    if (isReal) advance();
    for (const stream of streams) {
      if (stream.mark.event !== pretend.next) {
        send(stream, "part", pretend.since(stream.mark));
        stream.mark = pretend.mark();
      }
      const facts = JSON.stringify(pretend.facts());
      if (stream.facts !== facts) {
        stream.facts = facts;
        send(stream, "facts", JSON.parse(facts));
      }
    }
  };
  const timer = setInterval(flush, 50);
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://127.0.0.1");
    const answer = (status, value, type = "application/json") => {
      response.writeHead(status, {
        "Content-Type": type, "Cache-Control": "no-store",
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      });
      response.end(typeof value === "string" || Buffer.isBuffer(value) ? value : JSON.stringify(value));
    };
    const at = server.address().port;
    if (![`127.0.0.1:${at}`, `localhost:${at}`, `[::1]:${at}`].includes(request.headers.host)) return answer(421, { error: "The host is not this one." });
    const { origin } = request.headers;
    if (origin && ![`http://127.0.0.1:${at}`, `http://localhost:${at}`, `http://[::1]:${at}`].includes(origin)) return answer(403, { error: "The origin is not this one." });
    const name = url.pathname.slice(1) || "index.html";
    if (name in stories) return answer(200, stories[name]);
    if (/^[\w-]+\.(html|css|js|svg)$/.test(name)) {
      try {
        return answer(200, readFileSync(new URL(name, page)), types[name.split(".").at(-1)]);
      } catch {
        return answer(404, { error: "There is no such file." });
      }
    }
    if (![request.headers["x-streamquery-token"], url.searchParams.get("token")].includes(token)) return answer(401, { error: "The token is wrong." });
    if (name === "events") {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
      response.write("retry: 1000\n\n");
      if (isReal) advance();
      const stream = { response, mark: pretend.mark(), facts: null };
      send(stream, "record", pretend.whole());
      streams.add(stream);
      request.on("close", () => streams.delete(stream));
      return flush();
    }
    if (name === "detail") {
      const found = pretend.detail(Number(url.searchParams.get("key")));
      return found ? answer(200, found) : answer(404, { error: "The key is not in the cache." });
    }
    if (name === "record") return answer(200, pretend.whole());
    if (name === "do" && request.method === "POST") {
      let body = "";
      for await (const piece of request) body += piece;
      if (isReal) advance();
      const result = pretend.act(JSON.parse(body));
      answer(result.error ? 409 : 200, result);
      return flush();
    }
    return answer(404, { error: "There is no such address." });
  });
  const close = () => new Promise((resolve) => {
    clearInterval(timer);
    for (const { response } of streams) response.destroy();
    server.closeAllConnections();
    server.close(resolve);
  });
  const end = () => {
    for (const stream of streams) {
      send(stream, "end", {});
      stream.response.end();
    }
    streams.clear();
  };
  const ask = () => streams.forEach((stream) => send(stream, "ask", {}));
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve({ url: `http://127.0.0.1:${server.address().port}/?token=${token}`, port: server.address().port, close, end, ask, pretend, flush }));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const served = await serve({ port: Number(process.argv[2] ?? 0), pretend: new Pretend({ keys: Number(process.argv[3] ?? 0) }) });
  console.log(served.url);
}
