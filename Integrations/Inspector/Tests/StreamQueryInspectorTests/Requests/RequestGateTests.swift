import Foundation
import Testing

@testable import StreamQueryInspector

/// Which requests are answered, and where they lead.
struct RequestGateTests {
  private let token = "0123456789abcdef"

  private func gate(port: UInt16 = 8123, allowsActions: Bool = true) -> RequestGate {
    RequestGate(
      port: port,
      token: token,
      files: ["index.html", "app.js", "views/list.js"],
      allowsActions: allowsActions
    )
  }

  private func request(_ line: String, _ headers: [String: String] = [:]) -> InspectorRequest {
    let words = line.split(separator: " ").map(String.init)
    var request = InspectorRequest(method: words[0], path: words[1])
    request.headers = ["host": "127.0.0.1:8123", "x-streamquery-token": token]
    request.headers.merge(headers) { $1 }
    return request
  }

  private func outcome(
    _ request: InspectorRequest,
    allowsActions: Bool = true
  ) -> Result<InspectorRoute, RequestRefusal> {
    Result { () throws(RequestRefusal) in
      try gate(allowsActions: allowsActions).route(request)
    }
  }

  @Test(arguments: [
    ("GET /", InspectorRoute.file("index.html")),
    ("GET /index.html", .file("index.html")),
    ("GET /app.js", .file("app.js")),
    ("GET /views/list.js", .file("views/list.js")),
    ("GET /events", .events),
    ("GET /record", .record),
    ("POST /do", .action),
  ])
  func eachPathLeadsToItsPlace(_ line: String, _ route: InspectorRoute) {
    #expect(outcome(request(line)) == .success(route))
  }

  @Test(arguments: [
    "GET /../Package.swift", "GET /..", "GET /views", "GET /views/", "GET /views/../app.js",
    "GET //app.js",
    "GET /app.js/", "GET /APP.JS", "GET /%2e%2e/app.js", "GET app.js", "GET /favicon.ico",
  ])
  func nothingButTheNamesOfTheTableIsFound(_ line: String) {
    #expect(outcome(request(line)) == .failure(.unknownPath))
  }

  @Test(arguments: [
    "127.0.0.1:8123", "localhost:8123", "LOCALHOST:8123", "[::1]:8123",
  ])
  func theLoopbackAddressMayBeNamedInThreeWays(_ host: String) {
    #expect(outcome(request("GET /events", ["host": host])) == .success(.events))
    let own = request("GET /events", ["host": host, "origin": "http://\(host)"])
    #expect(outcome(own) == .success(.events))
  }

  @Test(arguments: ["127.0.0.1", "localhost", "[::1]", "127.0.0.1:80", "LOCALHOST", "[::1]:80"])
  func thePortOfTheSchemeNeedNotBeNamed(_ host: String) throws {
    let own = request("GET /events", ["host": host, "origin": "http://\(host)"])
    #expect(try gate(port: 80).route(own) == .events)
    #expect(throws: RequestRefusal.foreignHost) { try gate(port: 8123).route(own) }
  }

  @Test(arguments: [
    "", ":80", "127.0.0.1:", "127.0.0.1:8123", "attacker.example", "attacker.example:80", "::1",
    "[::1", "::1]", "[::1]:", "[::1]80", "[::1].attacker.example", "[::1%25lo]",
    "[0:0:0:0:0:0:0:1]", "127.0.0.1, 127.0.0.1",
  ])
  func aNameWithoutAPortIsWholeOrForeign(_ host: String) {
    #expect(throws: RequestRefusal.foreignHost) {
      try gate(port: 80).route(request("GET /", ["host": host]))
    }
    #expect(throws: RequestRefusal.foreignOrigin) {
      try gate(port: 80).route(
        request("GET /", ["host": "localhost", "origin": "http://\(host)"])
      )
    }
  }

  @Test(arguments: [
    "", "127.0.0.1", "localhost", "127.0.0.1:80", "127.0.0.1:81234", "attacker.example:8123",
    "127.0.0.1.attacker.example:8123", "localhost:8123.attacker.example",
    "127.0.0.1:8123@attacker.example",
    "0.0.0.0:8123", "127.0.0.2:8123", "[::]:8123", " 127.0.0.1:8123",
  ])
  func aNameThatWasReboundToTheAddressGetsNothing(_ host: String) {
    for line in ["GET /", "GET /events", "GET /record", "POST /do", "GET /nothing"] {
      #expect(outcome(request(line, ["host": host])) == .failure(.foreignHost))
    }
    var bare = request("GET /")
    bare.headers["host"] = nil
    #expect(outcome(bare) == .failure(.foreignHost))
  }

  @Test(arguments: [
    "https://attacker.example", "null", "http://127.0.0.1", "http://127.0.0.1:8124",
    "https://127.0.0.1:8123",
    "http://127.0.0.1:8123.attacker.example", "http://127.0.0.1:8123/", "",
  ])
  func aPageOfAnotherOriginGetsNothing(_ origin: String) {
    for line in ["GET /", "GET /events", "POST /do"] {
      #expect(outcome(request(line, ["origin": origin])) == .failure(.foreignOrigin))
    }
  }

  @Test(arguments: [
    "", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF", "1123456789abcdef", "\u{0}",
  ])
  func aTokenIsRightAsAWholeOrWrong(_ token: String) {
    for line in ["GET /events", "GET /record", "POST /do"] {
      #expect(outcome(request(line, ["x-streamquery-token": token])) == .failure(.token))
    }
    #expect(
      outcome(request("GET /app.js", ["x-streamquery-token": token])) == .success(.file("app.js"))
    )
  }

  @Test func theTokenMayBeInTheLinkUnlessSomethingChanges() {
    for (line, expected) in [
      ("GET /events", Result<InspectorRoute, RequestRefusal>.success(.events)),
      ("GET /record", .success(.record)),
      ("POST /do", .failure(.token)),
    ] {
      var linked = request(line)
      linked.headers["x-streamquery-token"] = nil
      #expect(outcome(linked) == .failure(.token))
      linked.query["token"] = token
      #expect(outcome(linked) == expected)
    }
  }

  @Test(arguments: ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "get", ""])
  func eachPathTakesOneMethod(_ method: String) {
    var asked = request("GET /events")
    asked.method = method
    #expect(outcome(asked) == .failure(.method(allowed: "GET")))
    asked.path = "/"
    #expect(outcome(asked) == .failure(.method(allowed: "GET")))
    asked.path = "/do"
    let expected: Result<InspectorRoute, RequestRefusal> =
      method == "POST" ? .success(.action) : .failure(.method(allowed: "POST"))
    #expect(outcome(asked) == expected)
  }

  @Test(arguments: [
    ("7", 7), ("-1", -1), ("", nil), ("7.0", nil), ("99999999999999999999", nil), (nil, nil),
  ])
  func aDetailNeedsTheNumberOfAKey(_ text: String?, _ key: Int?) {
    var asked = request("GET /detail")
    asked.query["key"] = text
    #expect(outcome(asked) == key.map { .success(.detail(key: $0)) } ?? .failure(.noKey))
  }

  @Test func actionsMayBeOffAndTheirBodiesHaveALimit() {
    var asked = request("POST /do")
    #expect(outcome(asked, allowsActions: false) == .failure(.actionsOff))
    asked.bodyLength = RequestGate.bodyLimit
    #expect(outcome(asked) == .success(.action))
    asked.bodyLength = RequestGate.bodyLimit + 1
    #expect(outcome(asked) == .failure(.bodyTooLarge))
  }
}

/// The answers to requests that are refused, and the headers of all.
struct InspectorAnswerTests {
  @Test(arguments: [
    (RequestRefusal.foreignHost, 421), (.foreignOrigin, 403), (.token, 401), (.unknownPath, 404),
    (.method(allowed: "GET"), 405), (.noKey, 400), (.actionsOff, 403), (.bodyTooLarge, 413),
  ])
  func aRefusalIsASentenceInJSON(_ refusal: RequestRefusal, _ status: Int) throws {
    let answer = InspectorAnswer.refusal(refusal)
    #expect(answer.status == status)
    let fields = try InspectorJSON.decoder.decode([String: String].self, from: answer.body)
    #expect(fields == ["error": refusal.text])
    #expect(answer.headers["Content-Type"] == "application/json; charset=utf-8")
  }

  @Test func everyAnswerIsSafeInABrowser() {
    for answer in [
      InspectorAnswer.done("Done."), .error("No.", status: 404), .json(.init()),
      PageFiles(["index.html": .init()])["index.html"],
    ] {
      let headers = answer?.headers ?? [:]
      #expect(headers["X-Content-Type-Options"] == "nosniff")
      #expect(headers["Cache-Control"] == "no-store")
      #expect(headers["Referrer-Policy"] == "no-referrer")
      let policy = headers["Content-Security-Policy"] ?? ""
      #expect(policy.contains("default-src 'none'; script-src 'self'; style-src 'self';"))
      #expect(policy.contains("connect-src 'self'; base-uri 'none'") && !policy.contains("unsafe"))
      #expect(headers.keys.allSatisfy { !$0.lowercased().hasPrefix("access-control") })
    }
  }

  @Test func filesOfUnknownKindsAreNotServed() {
    let files = PageFiles([
      "index.html": .init(), "a.js": .init(), "a.css": .init(), "notes.md": .init(),
      "Makefile": .init(),
      ".DS_Store": .init(), "b/c.js": .init(),
    ])
    #expect(files.names == ["index.html", "a.js", "a.css", "b/c.js"])
    #expect(files["a.js"]?.headers["Content-Type"] == "text/javascript; charset=utf-8")
    #expect(files["notes.md"] == nil)
  }

  @Test func thePageThatComesWithThePackageIsThere() {
    let files = PageFiles.bundled()
    #expect(files.names.contains("index.html"))
    #expect(files["index.html"]?.body.isEmpty == false)
  }
}
