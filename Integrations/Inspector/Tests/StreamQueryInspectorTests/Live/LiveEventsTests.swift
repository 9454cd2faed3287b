@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryInspector

/// What a page is sent of a client, in virtual time.
struct LiveEventsTests {
  let simulation = Simulation(seed: 34)

  private func client(_ record: RecordPolicy = .last(1_000)) -> QueryClient {
    QueryClient(simulation: simulation) { $0.record = record }
  }

  private func page(
    of client: QueryClient,
    allows: Inspector.Permissions = .actions
  ) -> ResultRecording<[LiveFeed.Output]> {
    simulation.record(
      LiveEvents(subject: InspectedClient(client, name: "test", allows: allows))
    )
  }

  private func names(_ page: ResultRecording<[LiveFeed.Output]>) -> [String] {
    page.values.flatMap { $0 }.map { output in
      switch output {
      case .record(let record): "record \(record.events.count)"
      case .part(let part): "part \(part.firstNumber)+\(part.events.count)"
      case .facts: "facts"
      case .ask: "ask"
      case .comment: "comment"
      case .replaced: "replaced"
      case .end: "end"
      }
    }
  }

  @Test func aPageGetsTheRecordAndThenTheNews() {
    let client = client()
    client.setData(1, for: "a")
    let page = page(of: client)
    simulation.advance(by: .milliseconds(100))
    let begin = client.record.events.count
    #expect(names(page) == ["record \(begin)", "facts"])
    client.setData(2, for: "a")
    simulation.advance(by: .milliseconds(100))
    #expect(names(page) == ["record \(begin)", "facts", "part \(begin + 1)+1"])
    page.cancel()
  }

  @Test func thereAreAtMostTwentyPartsInASecondAndNothingIsMissing() {
    let client = client(.last(5_000))
    let page = page(of: client)
    simulation.advance(by: .seconds(1))
    for number in 0..<1_000 {
      client.setData(number, for: "a")
      simulation.advance(by: .milliseconds(1))
    }
    simulation.advance(by: .seconds(1))
    let parts = page.values.flatMap { $0 }.compactMap { output -> QueryRecord? in
      if case .part(let part) = output { part } else { nil }
    }
    #expect((20...21).contains(parts.count))
    let times = page.elements.filter { $0.element.contains(where: \.isPart) }.map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(50) })
    #expect(parts.flatMap(\.events).map(\.number) == Array(1...client.record.events.count))
    #expect(parts.allSatisfy { $0.lostCount == 0 })
    page.cancel()
  }

  @Test func aBurstThatIsLargerThanTheRecordIsCounted() {
    let client = client(.last(100))
    let page = page(of: client)
    simulation.advance(by: .seconds(1))
    for number in 0..<100_000 { client.setData(number, for: "a") }
    simulation.advance(by: .seconds(1))
    let parts = page.values.flatMap { $0 }.compactMap { output -> QueryRecord? in
      if case .part(let part) = output { part } else { nil }
    }
    let shown = parts.reduce(0) { $0 + $1.events.count }
    let lost = parts.reduce(0) { $0 + $1.lostCount }
    #expect(parts.count == 1 && shown == 100)
    #expect(shown + lost == client.record.firstNumber + 99)
    page.cancel()
  }

  @Test func aPageThatDoesNotReadIsSentLittleLater() throws {
    let client = client(.last(100))
    let subject = InspectedClient(client, name: "test", allows: .actions)
    let events = TestIterator(LiveEvents(subject: subject).makeAsyncIterator())
    #expect(simulation.run { await events.next() }?.count == 2)
    for number in 0..<20_000 {
      client.setData(number, for: "a")
      if number % 1_000 == 0 { simulation.advance(by: .seconds(1)) }
    }
    let last = client.record.firstNumber + client.record.events.count - 1
    var (parts, shown, lost, end) = (0, 0, 0, 0)
    while end < last {
      simulation.advance(by: .seconds(1))
      for case .part(let part) in try #require(simulation.run { await events.next() }) {
        parts += 1
        shown += part.events.count
        lost += part.lostCount
        end = part.firstNumber + part.events.count - 1
      }
    }
    // One was made before the page stopped reading.
    #expect(parts <= 2 && shown <= 200 && shown + lost == last)
  }

  @Test(arguments: [true, false])
  func theEndOfTheClientIsTheEndOfTheStream(isShutDown: Bool) throws {
    var client: QueryClient? = client()
    weak let former = client
    let page = page(of: try #require(client))
    simulation.advance(by: .seconds(1))
    if isShutDown { client?.shutDown() }
    client = nil
    simulation.advance(by: .seconds(1))
    #expect(names(page) == ["record 0", "facts", "end"])
    #expect(page.isFinished && former == nil)
  }

  @Test func aClientThatIsGoneHasNothingButAnEnd() {
    let subject = InspectedClient(nil, name: "test", allows: .actions)
    let page = simulation.record(LiveEvents(subject: subject))
    simulation.settle()
    #expect(names(page) == ["end"] && page.isFinished)
  }

  @Test func aPageThatIsGoneLeavesNothing() {
    let client = client()
    let pages = (0..<2).map { _ in page(of: client) }
    simulation.advance(by: .seconds(1))
    pages[0].cancel()
    simulation.settle()
    client.setData(1, for: "a")
    simulation.advance(by: .seconds(1))
    #expect(names(pages[0]) == ["record 0", "facts"])
    #expect(names(pages[1]) == ["record 0", "facts", "part 1+2"])
    pages[1].cancel()
    simulation.settle()
    #expect(simulation.isIdle)
  }

  @Test func theSixthPageTakesThePlaceOfTheOldest() {
    let client = client()
    let subject = InspectedClient(client, name: "test", allows: .actions)
    func open() -> ResultRecording<[LiveFeed.Output]> {
      defer { simulation.settle() }
      return simulation.record(LiveEvents(subject: subject))
    }
    let first = (0..<5).map { _ in open() }
    let sixth = open()
    simulation.advance(by: .seconds(1))
    #expect(names(first[0]) == ["record 0", "facts", "replaced"] && first[0].isFinished)
    for page in first.dropFirst() + [sixth] {
      #expect(names(page) == ["record 0", "facts"] && !page.isFinished)
    }
    // A place that is free takes nobody's.
    first[1].cancel()
    simulation.settle()
    let seventh = open()
    simulation.advance(by: .seconds(1))
    let present = [first[2], first[3], first[4], sixth, seventh]
    #expect(present.allSatisfy { !$0.isFinished })
    for page in present { page.cancel() }
    simulation.settle()
    #expect(simulation.isIdle)
  }

  @Test func aQuietPageIsSentACommentEachFiveSeconds() {
    let client = client()
    let page = page(of: client)
    simulation.advance(by: .seconds(11))
    #expect(names(page) == ["record 0", "facts", "comment", "comment"])
    page.cancel()
  }

  @Test func aPageThatMayActIsAskedWhetherItIsThereAsLongAsThereAreConditions() {
    let client = client()
    let pages = [Inspector.Permissions.actions, []].map { page(of: client, allows: $0) }
    client.changeConditions(.offline(true))
    simulation.advance(by: .seconds(10) + .milliseconds(1))
    client.changeConditions(.end)
    simulation.advance(by: .seconds(20))
    #expect(pages.map { names($0).count { $0 == "ask" } } == [1, 0])
    for page in pages { page.cancel() }
  }

  @Test(arguments: [Inspector.Permissions.actions, .values])
  func valuesAreShownOnlyIfTheAppSaysSo(allows: Inspector.Permissions) {
    let client = client(.last(100, values: .encodable))
    client.setData(1, for: "a")
    let page = page(of: client, allows: allows)
    simulation.settle()
    client.setData(2, for: "a")
    simulation.advance(by: .seconds(1))
    let values = page.values.flatMap { $0 }.flatMap { output -> [String] in
      switch output {
      case .record(let record): record.values.map(\.json)
      case .part(let part): part.values.map(\.json)
      case .facts, .ask, .comment, .replaced, .end: []
      }
    }
    #expect(values == (allows == .values ? ["1", "2"] : []))
    page.cancel()
  }
}

/// An iterator that a test asks when it likes.
private actor TestIterator {
  private var iterator: LiveEvents.Iterator

  init(_ iterator: sending LiveEvents.Iterator) {
    self.iterator = iterator
  }

  func next() async -> [LiveFeed.Output]? {
    var iterator = iterator
    defer { self.iterator = iterator }
    return await iterator.next()
  }
}

extension LiveFeed.Output {
  fileprivate var isPart: Bool {
    if case .part = self { true } else { false }
  }
}
