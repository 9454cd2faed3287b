import StreamQuery
import StreamQueryTesting
import Synchronization

struct PageFailure: Error {}

/// Serves pages `p1 … pLast`; the n-th call's page says so: `p1#1`.
final class PageServer: Sendable {
  struct Call: Equatable {
    var param: Int
    var direction: PageDirection?
    var attempt = 0
  }

  let last: Int
  let delay: Duration
  private let state = Mutex(State())

  private struct State {
    var calls: [Call] = []
    var failures: Set<Int> = []
    var cancelled = 0
  }

  /// - Parameters:
  ///   - last: The last page.
  ///   - delay: How long each call takes.
  ///   - failing: The calls that fail, from 1.
  init(last: Int = 3, delay: Duration = .milliseconds(10), failing: Set<Int> = []) {
    self.last = last
    self.delay = delay
    state.withLock { $0.failures = failing }
  }

  var calls: [Call] { state.withLock { $0.calls } }
  var params: [Int] { calls.map(\.param) }
  var cancelledCount: Int { state.withLock { $0.cancelled } }

  func fetch(_ param: Int, _ context: FetchContext) async throws -> String {
    let (number, fails) = state.withLock { state in
      state.calls.append(
        Call(param: param, direction: context.direction, attempt: context.attempt)
      )
      return (state.calls.count, state.failures.contains(state.calls.count))
    }
    do {
      try await Scheduling.current.clock.sleep(for: delay)
    } catch {
      state.withLock { $0.cancelled += 1 }
      throw error
    }
    if fails { throw PageFailure() }
    return "p\(param)#\(number)"
  }

  func query(
    _ key: String = "feed",
    from first: Int = 1,
    maxPages: Int? = nil
  ) -> InfiniteQuery<
    String, Int
  > {
    InfiniteQuery<String, Int>(key, initialPageParam: first, maxPages: maxPages) {
      [self] param, context in
      try await fetch(param, context)
    } nextPageParam: { [last] run in
      run.lastParam < last ? run.lastParam + 1 : nil
    } previousPageParam: { run in
      run.firstParam > 1 ? run.firstParam - 1 : nil
    }
    .retry(0)
  }
}

/// What a test says about a result of pages.
struct PageLine: Equatable, CustomStringConvertible {
  var time: Int
  var pages: [String]
  var flags: Set<Flag>

  enum Flag: String { case fetching, next, previous, more, before, error, nextError, previousError }

  init(_ time: Int, _ pages: [String], _ flags: Flag...) {
    self.time = time
    self.pages = pages
    self.flags = Set(flags)
  }

  init(_ stamped: ResultRecording<QueryResult<Pages<String, Int>>>.Stamped) {
    let result = stamped.element
    time = Int(stamped.time / .milliseconds(1))
    pages = result.pages
    let all: [(Flag, Bool)] = [
      (.fetching, result.isFetching), (.next, result.isFetchingNextPage),
      (.previous, result.isFetchingPreviousPage), (.more, result.hasNextPage),
      (.before, result.hasPreviousPage), (.error, result.isError),
      (.nextError, result.isFetchNextPageError),
      (.previousError, result.isFetchPreviousPageError),
    ]
    flags = Set(all.filter(\.1).map(\.0))
  }

  var description: String { "\(time): \(pages) \(flags.map(\.rawValue).sorted())" }
}

extension ResultRecording where Element == QueryResult<Pages<String, Int>> {
  var lines: [PageLine] { elements.map(PageLine.init) }
}
