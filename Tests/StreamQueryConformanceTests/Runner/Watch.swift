import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Synchronization

/// One observer of a scenario: a consumed stream under our operators.
///
/// `Sendable` is right, since it is used on the one thread that drives the simulation.
final class Watch: @unchecked Sendable {
  enum Handle: Sendable {
    case plain(QueryObserver<JSON>)
    case paged(QueryObserver<PageRun>)
  }

  typealias Results = ErasedSequence<QueryResult<JSON>, Never>

  let client: String
  let handle: Handle
  /// The options as the scenario set them last.
  var options: JSON
  /// The same with what the defaults of the key add to what is shown.
  var shown: JSON
  let recording: ResultRecording<QueryResult<JSON>>
  /// What came before the operators.
  let raw: RawResults
  /// When the operators were changed, and what by.
  var changes: [(time: Int, options: JSON)] = []
  /// Whether the scenario still consumes it.
  var isLive = true

  init(client: String, handle: Handle, options: JSON, shown: JSON, simulation: Simulation) {
    self.client = client
    self.handle = handle
    self.options = options
    self.shown = shown
    let raw = RawResults(simulation)
    self.raw = raw
    let results: Results =
      switch handle {
      case .plain(let observer): observer.stream.map { raw.took($0) }.erased()
      case .paged(let observer): observer.stream.select { JSON($0) }.map { raw.took($0) }.erased()
      }
    recording = Self.record(Self.shown(results, as: shown), simulation)
  }

  /// The operators that the options ask for, over results of an observer.
  static func shown(_ results: Results, as options: JSON) -> Results {
    var shown = results
    if options["placeholderData"] == "keepPrevious" {
      shown = shown.keepPreviousData().erased()
    } else if let value = options["placeholderData"]?["value"] {
      shown = shown.placeholder(value).erased()
    }
    if let select = ScenarioSelect(options["select"]) {
      shown = shown.select { try select($0) }.erased()
    }
    return shown
  }

  private static func record(
    _ results: some AsyncSequence<QueryResult<JSON>, Never> & Sendable,
    _ simulation: Simulation
  ) -> ResultRecording<QueryResult<JSON>> {
    simulation.record(results)
  }

  /// What the scenario sees of a result that a call returned: the same operators over all that came.
  func lens() -> @Sendable (QueryResult<JSON>) async -> QueryResult<JSON> {
    let (options, raw) = (shown, raw)
    guard options["placeholderData"] != nil || options["select"] != nil else { return { $0 } }
    return { result in
      var last = result
      for await shown in Self.shown(Replay(raw.results + [result]).erased(), as: options) {
        last = shown
      }
      return last
    }
  }

  // MARK: The handle

  func refetch(superseding: Bool, throwing: Bool) -> @Sendable () async throws -> QueryResult<JSON>
  {
    switch handle {
    case .plain(let observer):
      return {
        throwing
          ? try await observer.refetch(superseding: superseding, throwOnError: true)
          : try await observer.refetch(superseding: superseding)
      }
    case .paged(let observer):
      return {
        let result =
          throwing
          ? try await observer.refetch(superseding: superseding, throwOnError: true)
          : try await observer.refetch(superseding: superseding)
        return await Self.plain(result)
      }
    }
  }

  func fetchPage(
    _ direction: PageDirection,
    superseding: Bool
  ) -> @Sendable () async throws -> QueryResult<JSON> {
    switch handle {
    case .plain(let observer):
      return { observer.result }
    case .paged(let observer):
      return {
        let result =
          direction == .next
          ? try await observer.fetchNextPage(superseding: superseding)
          : try await observer.fetchPreviousPage(superseding: superseding)
        return await Self.plain(result)
      }
    }
  }

  /// What the handle sees now.
  var result: JSON {
    switch handle {
    case .plain(let observer): snapshot(observer.result)
    case .paged(let observer): snapshot(observer.result) { JSON($0) }
    }
  }

  /// Pages as any other data.
  static func plain(_ result: QueryResult<PageRun>) async -> QueryResult<JSON> {
    var plain: [QueryResult<JSON>] = []
    for await result in Replay([result]).select({ JSON($0) }) { plain.append(result) }
    // One result goes in, so one comes out.
    return plain[0]
  }
}

/// What came from an observer, in order.
final class RawResults: Sendable {
  private let log = Mutex<[(time: Int, result: QueryResult<JSON>)]>([])
  private let clock: SimulationClock

  init(_ simulation: Simulation) {
    clock = simulation.clock
  }

  func took(_ result: QueryResult<JSON>) -> QueryResult<JSON> {
    let time = Int(clock.now.offset / .milliseconds(1))
    log.withLock { $0.append((time, result)) }
    return result
  }

  var results: [QueryResult<JSON>] { log.withLock { $0 }.map(\.result) }
  var stamped: [(time: Int, result: QueryResult<JSON>)] { log.withLock { $0 } }
}

/// Gives what it was made of.
struct Replay<Element: Sendable>: AsyncSequence, Sendable {
  let elements: [Element]

  init(_ elements: [Element]) {
    self.elements = elements
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: elements[...]) }

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<Element>

    mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      rest.popFirst()
    }
  }
}
