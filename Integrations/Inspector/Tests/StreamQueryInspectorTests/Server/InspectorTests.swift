import Foundation
import StreamQuery
import Synchronization
import Testing

@testable import StreamQueryInspector

/// An inspector before real sockets.
@Suite(.timeLimit(.minutes(1))) struct InspectorTests {
  private func client() -> QueryClient {
    var configuration = QueryClient.Configuration(connectivity: .alwaysOnline)
    configuration.record = .last(1_000)
    return QueryClient(configuration: configuration)
  }

  private func inspector(
    _ client: QueryClient,
    allows: Inspector.Permissions = .actions,
    port: UInt16? = nil
  ) -> Inspector {
    Inspector(client, in: .allBuilds, allows: allows, port: port) { _ in }
  }

  private func link(_ inspector: Inspector) async throws -> URL {
    try #require(try await inspector.link)
  }

  @Test func theLinkLeadsToThePage() async throws {
    let client = client()
    let inspector = inspector(client)
    let link = try await link(inspector)
    #expect(
      link.absoluteString.wholeMatch(of: #/http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}/#) != nil
    )
    let browser = try await Browser(link)
    let page = try await browser.answer("GET /?token=\(browser.token)", token: "")
    #expect(page.status == 200 && page.body.lowercased().hasPrefix("<!doctype html>"))
    #expect(page.head.contains("Content-Type: text/html; charset=utf-8\r\n"))
    #expect(page.head.contains("Content-Security-Policy: default-src 'none'; script-src 'self';"))
    await inspector.stop()
  }

  @Test func whoMayNotSeeItGetsNothing() async throws {
    let client = client()
    let inspector = inspector(client)
    let browser = try await Browser(link(inspector))
    let rebound = try await browser.answer("GET /", host: "attacker.example:\(browser.port)")
    #expect(rebound.status == 421)
    let foreign = try await browser.answer(
      "GET /record",
      headers: ["Origin: https://attacker.example"]
    )
    #expect(foreign.status == 403)
    for line in ["GET /record", "GET /events", "GET /detail?key=1", "POST /do"] {
      let unknown = try await browser.answer(line, token: "wrong")
      #expect(unknown.status == 401 && unknown.body.hasPrefix(#"{"error":"#))
    }
    for path in [
      "/../Package.swift", "/%2e%2e/Package.swift", "/..%2fPackage.swift", "//etc/passwd",
    ] {
      let climbing = try await browser.answer("GET \(path)")
      #expect(climbing.status == 404)
    }
    let large = try await browser.answer(
      "POST /do",
      body: String(repeating: "a", count: RequestGate.bodyLimit + 1)
    )
    #expect(large.status == 413)
    await inspector.stop()
  }

  @Test(
    arguments: ["Content-Length: 9000000", "Transfer-Encoding: chunked"],
    ["GET /", "POST /do"]
  )
  func theRestOfABodyThatIsNotReadIsNoRequest(_ header: String, _ line: String) async throws {
    let client = client()
    let inspector = inspector(client)
    let link = try await link(inspector)
    let browser = try await Browser(link)
    // Without the token, as another page would send it.
    try await browser.send(line, token: "", headers: [header, "", "GET / HTTP/1.1"])
    let answer = try await browser.readToEnd()
    #expect(answer.contains("Connection: close"))
    #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
    let files = try await Browser(link).answer("GET /")
    #expect(files.status == 200)
    await inspector.stop()
  }

  @Test func actionsReachTheClientAndBadOnesDoNot() async throws {
    let client = client()
    client.setData(1, for: QueryKey<Int>("n"))
    let inspector = inspector(client)
    let browser = try await Browser(link(inspector))
    let key = try #require(client.record.keys.first).number
    let done = try await browser.answer(
      "POST /do",
      body: #"{"do":"setData","key":\#(key),"dataText":"7"}"#
    )
    #expect(done.status == 200 && done.body == #"{"done":"Wrote [\"n\"]."}"#)
    #expect(client.data(for: QueryKey<Int>("n")) == 7)
    let malformed = try await browser.answer("POST /do", body: "{")
    #expect(malformed.status == 400)
    let unknown = try await browser.answer("POST /do", body: #"{"do":"remove","key":99}"#)
    #expect(unknown.status == 404)
    let detail = try await browser.answer("GET /detail?key=\(key)")
    #expect(detail.status == 200 && detail.body.contains(#""dataText":null"#))
    let record = try await browser.answer("GET /record?token=\(browser.token)", token: nil)
    #expect(record.head.contains("Content-Disposition: attachment; filename=\"streamquery-record-"))
    let read = try JSONDecoder().decode(QueryRecord.self, from: Data(record.body.utf8))
    #expect(read.keys.map(\.text) == [#"["n"]"#])
    await inspector.stop()
  }

  @Test func aPageThatMayDoNothingIsRefused() async throws {
    let client = client()
    let inspector = inspector(client, allows: [])
    let browser = try await Browser(link(inspector))
    let refused = try await browser.answer("POST /do", body: #"{"do":"offline"}"#)
    #expect(refused.status == 403 && refused.body == #"{"error":"The app allows no actions."}"#)
    await inspector.stop()
  }

  @Test func twoPagesAreSentTheNewsAndLaterTheEnd() async throws {
    var client: QueryClient? = client()
    let inspector = inspector(try #require(client))
    let link = try await link(inspector)
    var pages: [Browser] = []
    for _ in 0..<2 {
      let page = try await Browser(link)
      try await page.send("GET /events?token=\(page.token)", token: "")
      let head = try await page.read(until: "\r\n\r\n")
      #expect(
        head.contains("200") && head.contains("Content-Type: text/event-stream; charset=utf-8")
      )
      try await page.read(until: "event: facts\n")
      pages.append(page)
    }
    client?.setData(1, for: QueryKey<Int>("n"))
    for page in pages {
      let news = try await page.read(until: #"["n"]"#.replacing("\"", with: "\\\""))
      #expect(news.contains("event: part\n"))
    }
    client = nil
    for page in pages {
      let rest = try await page.readToEnd()
      #expect(rest.contains("event: end\ndata: {}\n\n"))
    }
    // The port is free again.
    await inspector.stop()
    await #expect(throws: (any Error).self) { try await Browser(link) }
  }

  @Test func aClientThatIsShutDownUnderItEndsItsPagesAndFreesThePort() async throws {
    let client = client()
    let inspector = inspector(client)
    let link = try await link(inspector)
    let page = try await Browser(link)
    try await page.send("GET /events")
    try await page.read(until: "event: facts\n")
    client.shutDown()
    let rest = try await page.readToEnd()
    #expect(rest.contains("event: end\ndata: {}\n\n"))
    await inspector.stop()
    await #expect(throws: (any Error).self) { try await Browser(link) }
    await #expect(throws: InspectorError.ended) { try await inspector.link }
  }

  @Test func aPageThatGoesAwayInTheMiddleLeavesNothing() async throws {
    let client = client()
    let (ends, end) = AsyncStream<Void>.makeStream()
    let subject = InspectedClient(
      client,
      name: "test",
      allows: .actions,
      onPageEnd: { end.yield() }
    )
    let server = InspectorServer(subject, port: 0, token: "token", allowsActions: true)
    let link = try await server.start()
    let page = try await Browser(link)
    try await page.send("GET /events")
    try await page.read(until: "event: facts\n")
    try page.reset()
    client.setData(1, for: QueryKey<Int>("n"))
    for await _ in ends { break }
    await server.stop()
  }

  @Test func aSixthPageIsAnsweredAndTheOldestIsToldWhy() async throws {
    let client = client()
    let inspector = inspector(client)
    let link = try await link(inspector)
    var pages: [Browser] = []
    for _ in 0..<6 {
      let page = try await Browser(link)
      try await page.send("GET /events")
      try await page.read(until: "event: facts\n")
      pages.append(page)
    }
    try await pages[0].read(until: "event: replaced\ndata: {\"error\":\"5 newer pages show")
    await inspector.stop()
  }

  @Test func conditionsEndWithTheInspector() async throws {
    let client = client()
    let (lines, line) = AsyncStream<String>.makeStream()
    let inspector = Inspector(client, in: .allBuilds) { line.yield($0) }
    let browser = try await Browser(link(inspector))
    for body in [#"{"do":"offline"}"#, #"{"do":"delay","seconds":60}"#] {
      let done = try await browser.answer("POST /do", body: body)
      #expect(done.status == 200)
    }
    await inspector.stop()
    #expect(try await client.fetch(Query("n") { 1 }) == 1)
    line.finish()
    let logged = await lines.reduce(into: []) { $0.append($1) }
    #expect(
      logged == [
        "the inspector has stopped, so these conditions have ended: offline, attempts 60.0 s slower"
      ]
    )
  }

  @Test func aServerWhoseSocketIsLostListensAgainAtTheSameLink() async throws {
    let client = client()
    let (lines, line) = AsyncStream<String>.makeStream()
    let inspector = Inspector(client, in: .allBuilds) { line.yield($0) }
    let link = try await link(inspector.start())
    let page = try await Browser(link)
    try await page.send("GET /events")
    try await page.read(until: "event: facts\n")
    try Listener.shutDown(page.port)
    var losses = 0
    for await text in lines {
      if text.hasPrefix("the inspector has lost its socket, and listens again: ") { losses += 1 }
      if text == "inspector again at \(link.absoluteString)" { break }
    }
    #expect(losses == 1)
    _ = try await page.readToEnd()
    let again = try await Browser(link)
    #expect(try await again.answer("GET /record").status == 200)
    #expect(try await inspector.link == link)
    await inspector.stop()
    await #expect(throws: InspectorError.ended) { try await inspector.link }
  }

  @Test func aServerThatIsStoppedWhileItListensAgainHasFreedItsPort() async throws {
    let client = client()
    // More than once, because the socket is new for a moment only.
    for _ in 0..<20 {
      let (losses, loss) = AsyncStream<Void>.makeStream()
      let server = InspectorServer(
        InspectedClient(client, name: "test", allows: []),
        port: 0,
        token: "token",
        allowsActions: false
      ) { text in
        if text.contains("has lost") { loss.finish() }
      }
      let port = UInt16(try #require(try await server.start().port))
      try Listener.shutDown(port)
      for await _ in losses {}
      await server.stop()
      // Whatever still listens would not let others have the port.
      for _ in 0..<50 { _ = try Listener(port: port) }
    }
    withExtendedLifetime(client) {}
  }

  @Test func aServerWhosePortIsGoneSaysSoAndEndsConditions() async throws {
    let client = client()
    let subject = InspectedClient(client, name: "test", allows: .actions)
    let (lines, line) = AsyncStream<String>.makeStream()
    let thief = Mutex<Listener?>(nil)
    let port = Mutex<UInt16>(0)
    let server = InspectorServer(
      subject,
      port: 0,
      token: "token",
      allowsActions: true,
      restarts: RestartPlan(pauses: [.zero, .zero])
    ) { text in
      // Before the first try.
      if text.contains("has lost") {
        thief.withLock { $0 = try? Listener(port: port.withLock { $0 }) }
      }
      line.yield(text)
    }
    let browser = try await Browser(server.start())
    port.withLock { $0 = browser.port }
    #expect(try await browser.answer("POST /do", body: #"{"do":"offline"}"#).status == 200)
    try Listener.shutDown(browser.port)
    let error = InspectorError.lost(
      port: browser.port,
      reason: "\(InspectorError.portTaken(browser.port))"
    )
    for await text in lines where text.hasPrefix("no inspector") {
      #expect(text == "no inspector: \(error)")
      break
    }
    await #expect(throws: error) { try await server.link }
    #expect(try await client.fetch(Query("n") { 1 }) == 1)
    await server.stop()
    thief.withLock { $0 = nil }
  }

  @Test func aPortThatIsTakenIsNamed() async throws {
    let client = client()
    let first = inspector(client)
    let port = UInt16(try #require(try await link(first).port))
    let second = inspector(client, port: port)
    await #expect(throws: InspectorError.portTaken(port)) { try await second.link }
    await first.stop()
    let third = inspector(client, port: port)
    #expect(try await link(third).port == Int(port))
    await third.stop()
  }

  @Test func aClientWithoutARecordAndOneThatHasEndedAreNotInspected() async throws {
    let silent = QueryClient(configuration: .init(connectivity: .alwaysOnline))
    await #expect(throws: InspectorError.notRecording) { try await inspector(silent).link }
    let ended = inspector(client())
    await #expect(throws: InspectorError.ended) { try await ended.link }
  }

  @Test func theLinkIsLoggedOnce() async throws {
    let client = client()
    let (lines, line) = AsyncStream<String>.makeStream()
    let inspector = Inspector(client, in: .allBuilds) { line.yield($0) }
    inspector.start().start()
    let link = try await link(inspector)
    for await text in lines {
      #expect(text == "inspector at \(link.absoluteString)")
      break
    }
    await inspector.stop()
  }
}
