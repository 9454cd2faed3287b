internal import Foundation
internal import StreamQuery
internal import StreamQueryOperators

/// The events for one page, from its request until the page is gone or the client has ended.
///
/// The sequence does not retain the client. It waits on the client's clock, in tasks on its executor.
struct LiveEvents: AsyncSequence, Sendable {
  typealias Element = [LiveFeed.Output]
  typealias Failure = Never

  /// The minimum time between two parts of the record, so that a page gets at most 20 parts in a second.
  static let pause = Duration.milliseconds(50)

  let subject: InspectedClient

  func makeAsyncIterator() -> Iterator { Iterator(subject: subject) }

  struct Iterator: AsyncIteratorProtocol {
    private let subject: InspectedClient
    private let page: InspectedClient.Page
    /// The inputs of the feed; `nil` if the client had ended before the page asked.
    private var inputs: ScheduledSequence<ErasedSequence<LiveInput, Never>>.AsyncIterator?
    private var feed = LiveFeed()
    private var isOver = false

    init(subject: InspectedClient) {
      self.subject = subject
      page = InspectedClient.Page(of: subject)
      guard let client = subject.client else { return }
      let clock = client.clock
      let news = PacedInputs(base: client.recordUpdates, pause: LiveEvents.pause, clock: clock)
      let seconds = IntervalSequence(every: .seconds(1), clock: clock).map { _ in LiveInput.second }
      inputs = merge(news, seconds).scheduled(by: client.scheduling).makeAsyncIterator()
    }

    mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
      while !isOver {
        var input: LiveInput?
        if inputs == nil { input = .ended } else { input = await inputs?.next(isolation: actor) }
        // There is an input each second, so the page learns of its replacement within a second.
        if !page.hasPlace { input = .replaced }
        guard let input, !Task.isCancelled else { break }
        let subject = subject
        let outputs = feed.received(input, facts: subject.facts, asks: subject.awaitsAnswers)
        if outputs.last?.isLast == true { isOver = true }
        if !outputs.isEmpty { return outputs.map(subject.permitted) }
      }
      // This also ends the tasks that wait for inputs.
      inputs = nil
      isOver = true
      return nil
    }
  }
}
