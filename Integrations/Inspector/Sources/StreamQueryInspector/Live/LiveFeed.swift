internal import Foundation
internal import StreamQuery

/// An input of ``LiveFeed``: an event that a page must learn of, or the end of a second.
enum LiveInput: Sendable {
  /// The first input has the whole record, and each later one the events that the client has recorded since.
  case recorded(QueryRecord)
  /// One more second has passed.
  case second
  /// Newer pages have taken the place of this one.
  case replaced
  /// The client has ended.
  case ended
}

/// Decides which events a page gets: the record, its continuation, facts that have changed, questions whether
/// somebody is there, and the end.
///
/// | input | before the record | after it | ended |
/// |---|---|---|---|
/// | recorded | record, facts | part | nothing |
/// | second | nothing | facts if they have changed; a question or a comment if it is time | nothing |
/// | replaced | replaced | replaced | nothing |
/// | ended | end | end | nothing |
struct LiveFeed: Sendable {
  /// An element for the page.
  enum Output: Equatable, Sendable {
    case record(QueryRecord)
    case part(QueryRecord)
    case facts(Data)
    /// Asks whether somebody is there.
    case ask
    case comment
    case replaced
    case end

    /// Whether this is the last element for the page.
    var isLast: Bool { self == .replaced || self == .end }
  }

  /// After this many seconds without an element, the page gets a comment, to find out whether it still reads.
  static let quietSeconds = 5
  /// The seconds between two questions whether somebody is there.
  static let askSeconds = 10

  private enum Stage: Equatable {
    case opening, live, ended
  }

  private var stage = Stage.opening
  private var facts: Data?
  private var quiet = 0
  /// The seconds since the last question, or since the last second in which no answer was needed.
  private var unasked = 0

  /// Takes an input.
  ///
  /// - Parameters:
  ///   - input: The input.
  ///   - present: The present facts as JSON; `nil` if the client is gone.
  ///   - asks: Whether the page has to answer from time to time.
  /// - Returns: The elements to send, in order.
  mutating func received(
    _ input: LiveInput,
    facts present: @autoclosure () -> Data?,
    asks: @autoclosure () -> Bool = false
  ) -> [Output] {
    switch (stage, input) {
    case (.opening, .recorded(let record)):
      stage = .live
      return [.record(record)] + changedFacts(present())
    case (.live, .recorded(let part)):
      quiet = 0
      return [.part(part)]
    case (.live, .second):
      let outputs = changedFacts(present()) + question(asks())
      quiet = outputs.isEmpty ? quiet + 1 : 0
      guard quiet >= Self.quietSeconds else { return outputs }
      quiet = 0
      return [.comment]
    case (.opening, .replaced), (.live, .replaced):
      stage = .ended
      return [.replaced]
    case (.opening, .ended), (.live, .ended):
      stage = .ended
      return [.end]
    case (.opening, .second), (.ended, _):
      return []
    }
  }

  private mutating func question(_ asks: Bool) -> [Output] {
    unasked = asks ? unasked + 1 : 0
    guard unasked >= Self.askSeconds else { return [] }
    unasked = 0
    return [.ask]
  }

  private mutating func changedFacts(_ present: Data?) -> [Output] {
    guard let present, present != facts else { return [] }
    facts = present
    return [.facts(present)]
  }
}
