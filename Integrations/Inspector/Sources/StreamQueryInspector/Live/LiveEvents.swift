internal import Foundation
internal import StreamQuery
internal import StreamQueryOperators

/// What one page is sent, from the moment at which it asks until it is gone or the client has ended.
///
/// The client is not retained. All of it waits on the clock of the client, in tasks of its executor.
struct LiveEvents: AsyncSequence, Sendable {
  typealias Element = [LiveFeed.Output]
  typealias Failure = Never

  /// The time between two parts: at most 20 in a second.
  static let pause = Duration.milliseconds(50)

  let subject: InspectedClient

  func makeAsyncIterator() -> Iterator { Iterator(subject: subject) }

  struct Iterator: AsyncIteratorProtocol {
    private let subject: InspectedClient
    private let page: InspectedClient.Page
    /// `nil` if the client had ended before.
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
        // Noticed within a second.
        if !page.hasPlace { input = .replaced }
        guard let input, !Task.isCancelled else { break }
        let subject = subject
        let outputs = feed.received(input, facts: subject.facts)
        if outputs.last?.isLast == true { isOver = true }
        if !outputs.isEmpty { return outputs.map(subject.permitted) }
      }
      // The tasks that wait for news end with it.
      inputs = nil
      isOver = true
      return nil
    }
  }
}
