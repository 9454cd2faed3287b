import StreamQuery
import Synchronization

/// A screen of an app, which follows one stream, and draws each result that it gets.
///
/// Here, drawing prints a line of the timeline. The results are stored, so that the tour can check them.
final class Screen<Value: Sendable>: Sendable {
  private let drawn = Drawn<Value>()
  private let task: Task<Void, Never>

  /// Opens the screen; the caller has made the stream, which already observes the query.
  init(
    _ name: String,
    _ stream: AsyncStream<QueryResult<Value>>,
    on timeline: Timeline,
    caption: @escaping @Sendable (Value) -> String
  ) {
    let drawn = drawn
    task = Task {
      for await result in stream {
        timeline.note(name, result.caption(caption))
        drawn.append(result)
      }
    }
  }

  /// All results that were drawn so far.
  var results: [QueryResult<Value>] { drawn.all }

  /// Waits until a result fulfils a condition, after the one that fulfilled the last condition.
  ///
  /// Streams show states, not events, and a slow machine may show fewer states: a condition should
  /// name a state that stays, or that a later state also tells of.
  ///
  /// - Returns: Whether such a result came within ten seconds.
  func shows(_ condition: (QueryResult<Value>) -> Bool) async -> Bool {
    let limit = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < limit {
      if drawn.advance(to: condition) { return true }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  /// Closes the screen: its task ends, and with it the observation.
  func close() async {
    task.cancel()
    await task.value
  }
}

/// The results that a screen drew, and how many of them were checked.
private final class Drawn<Value: Sendable>: Sendable {
  private let state = Mutex((results: [QueryResult<Value>](), seen: 0))

  var all: [QueryResult<Value>] { state.withLock { $0.results } }

  func append(_ result: QueryResult<Value>) {
    state.withLock { $0.results.append(result) }
  }

  func advance(to condition: (QueryResult<Value>) -> Bool) -> Bool {
    let (results, seen) = state.withLock { ($0.results, $0.seen) }
    guard let index = results[seen...].firstIndex(where: condition) else { return false }
    state.withLock { $0.seen = index + 1 }
    return true
  }
}

extension QueryResult {
  /// The result in a few words.
  fileprivate func caption(_ value: (Value) -> String) -> String {
    var words =
      switch phase {
      case .pending: "nothing yet"
      case .success(let data): value(data)
      case .failure(_, let lastGood?): "\(value(lastGood)), but the last load failed"
      case .failure: "failed"
      }
    switch fetchStatus {
    case .idle: break
    case .fetching: words += ", loading"
    case .paused: words += ", waiting for the network"
    }
    if let cause, fetchStatus != .idle { words += " (\(cause.rawValue))" }
    if isFetching, failureCount > 0 { words += ", failed attempts: \(failureCount)" }
    return words
  }
}
