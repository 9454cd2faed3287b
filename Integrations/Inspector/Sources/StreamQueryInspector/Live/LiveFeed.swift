internal import Foundation
internal import StreamQuery

/// Something that a page is to learn of, or the time for it.
enum LiveInput: Sendable {
  /// Something was recorded: at first all that the client has, then the news.
  case recorded(QueryRecord)
  /// A second is over.
  case second
  /// Newer pages have taken the place of this one.
  case replaced
  /// The client has ended.
  case ended
}

/// Decides what a page is sent: the record, its continuation, facts that have changed, and the end.
///
/// | input | before the record | after it | ended |
/// |---|---|---|---|
/// | recorded | record, facts | part | nothing |
/// | second | nothing | facts if they have changed; a comment after five quiet seconds | nothing |
/// | replaced | replaced | replaced | nothing |
/// | ended | end | end | nothing |
struct LiveFeed: Sendable {
  /// An element for the page.
  enum Output: Equatable, Sendable {
    case record(QueryRecord)
    case part(QueryRecord)
    case facts(Data)
    case comment
    case replaced
    case end

    /// Whether nothing follows.
    var isLast: Bool { self == .replaced || self == .end }
  }

  /// The number of seconds without an element after which a comment shows whether somebody still reads.
  static let quietSeconds = 5

  private enum Stage: Equatable {
    case opening, live, ended
  }

  private var stage = Stage.opening
  private var facts: Data?
  private var quiet = 0

  /// Takes an input.
  ///
  /// - Parameters:
  ///   - input: The input.
  ///   - present: The facts of now, encoded; `nil` if the client is gone.
  /// - Returns: What to send, in this order.
  mutating func received(_ input: LiveInput, facts present: @autoclosure () -> Data?) -> [Output] {
    switch (stage, input) {
    case (.opening, .recorded(let record)):
      stage = .live
      return [.record(record)] + changedFacts(present())
    case (.live, .recorded(let part)):
      quiet = 0
      return [.part(part)]
    case (.live, .second):
      let changed = changedFacts(present())
      quiet = changed.isEmpty ? quiet + 1 : 0
      guard quiet >= Self.quietSeconds else { return changed }
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

  private mutating func changedFacts(_ present: Data?) -> [Output] {
    guard let present, present != facts else { return [] }
    facts = present
    return [.facts(present)]
  }
}
