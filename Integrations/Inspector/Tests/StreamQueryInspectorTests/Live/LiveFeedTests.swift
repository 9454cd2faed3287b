import Foundation
import StreamQuery
import Testing

@testable import StreamQueryInspector

/// What a page is sent, and when.
struct LiveFeedTests {
  private let record: QueryRecord
  private let part: QueryRecord

  init() {
    record = QueryClient().record
    var part = record
    part.firstNumber = 3
    self.part = part
  }

  private func facts(_ text: String) -> Data { Data(text.utf8) }

  @Test func theRecordComesFirstWithTheFactsAndThenItsParts() {
    var feed = LiveFeed()
    #expect(feed.received(.second, facts: facts("a")).isEmpty)
    #expect(
      feed.received(.recorded(record), facts: facts("a")) == [.record(record), .facts(facts("a"))]
    )
    #expect(feed.received(.recorded(part), facts: facts("b")) == [.part(part)])
  }

  @Test func factsComeOnceASecondIfTheyHaveChanged() {
    var feed = LiveFeed()
    _ = feed.received(.recorded(record), facts: facts("a"))
    let outputs = ["a", "b", "b", "a"].map { feed.received(.second, facts: facts($0)) }
    #expect(outputs == [[], [.facts(facts("b"))], [], [.facts(facts("a"))]])
  }

  @Test func fiveQuietSecondsAreFollowedByAComment() {
    var feed = LiveFeed()
    _ = feed.received(.recorded(record), facts: facts("a"))
    func seconds(_ count: Int) -> [LiveFeed.Output] {
      (0..<count).flatMap { _ in feed.received(.second, facts: facts("a")) }
    }
    #expect(seconds(4) == [])
    _ = feed.received(.recorded(part), facts: facts("a"))
    #expect(seconds(4) == [])
    #expect(seconds(1) == [.comment])
    #expect(seconds(4) == [])
    #expect(seconds(1) == [.comment])
  }

  @Test func aPageThatHasToAnswerIsAskedEachTenSeconds() {
    var feed = LiveFeed()
    _ = feed.received(.recorded(record), facts: facts("a"))
    func seconds(_ count: Int, asks: Bool) -> [LiveFeed.Output] {
      (0..<count).flatMap { _ in feed.received(.second, facts: facts("a"), asks: asks) }
    }
    #expect(seconds(9, asks: true) == [.comment])
    #expect(seconds(1, asks: true) == [.ask])
    #expect(seconds(4, asks: true) == [])
    #expect(seconds(1, asks: false) == [.comment])
    #expect(seconds(10, asks: true) == [.comment, .ask])
    #expect(seconds(3, asks: true) + seconds(2, asks: false) == [.comment])
  }

  @Test func aPageWhoseNewerOnesHaveItsPlaceIsToldSoAndNothingElse() {
    for begins in [true, false] {
      var feed = LiveFeed()
      if begins { _ = feed.received(.recorded(record), facts: nil) }
      #expect(feed.received(.replaced, facts: nil) == [.replaced])
      #expect(feed.received(.ended, facts: nil) == [])
      #expect(feed.received(.recorded(part), facts: nil) == [])
    }
  }

  @Test func nothingComesAfterTheEnd() {
    for begins in [true, false] {
      var feed = LiveFeed()
      if begins { _ = feed.received(.recorded(record), facts: nil) }
      #expect(feed.received(.ended, facts: nil) == [.end])
      #expect(feed.received(.recorded(part), facts: nil) == [])
      #expect(feed.received(.second, facts: facts("b")) == [])
      #expect(feed.received(.ended, facts: nil) == [])
    }
  }
}

/// The form in which a page is sent events.
struct ServerSentEventTests {
  private func text(_ event: ServerSentEvent) -> String {
    String(decoding: event.encoded, as: UTF8.self)
  }

  @Test func anEventHasANameAndItsData() {
    #expect(text(.event("part", data: Data("{}".utf8))) == "event: part\ndata: {}\n\n")
    #expect(text(.event("part", data: Data())) == "event: part\ndata: \n\n")
    #expect(text(.comment) == ":\n\n")
    #expect(text(.ask) == "event: ask\ndata: {}\n\n")
    #expect(text(.end) == "event: end\ndata: {}\n\n")
    #expect(text(.replaced).hasPrefix("event: replaced\ndata: {\"error\":\"5 newer pages show"))
  }

  @Test func noDataCanBeginAnotherEvent() {
    let data = Data("a\n\nevent: end\r\ndata: b\r".utf8)
    #expect(
      text(.event("part", data: data))
        == "event: part\ndata: a\ndata: \ndata: event: end\ndata: data: b\n\n"
    )
  }
}
