import StreamQuery
import StreamQueryTesting

/// A server whose value is a version, and queries that read it: each answer says what the server had
/// when it was really read, not when the answer came.
final class VersionedServer: Sendable {
  private struct State {
    var version = 0
    /// What the nearest cache has of it, and since when.
    var near: (version: Int, time: Duration)?
  }

  let simulation: Simulation
  private let state = Dial(State())

  init(_ simulation: Simulation) { self.simulation = simulation }

  var version: Int { state.with { $0.version } }

  /// The value changes.
  @discardableResult
  func change() -> Int {
    state.with { state in
      state.version += 1
      return state.version
    }
  }

  /// The client writes: what a cache on the way has is void.
  func forgetNear() { state.with { $0.near = nil } }

  func random(_ bound: Int) -> Int { Int(simulation.nextRandom() % UInt64(bound)) }

  /// One request: on its way, the read, and on its way back; one in five fails.
  func read() async throws -> Int {
    try await sleep()
    let version = version
    try await sleep()
    if random(5) == 0 { throw Boom(version) }
    return version
  }

  private func sleep() async throws {
    try await simulation.clock.sleep(for: .milliseconds(random(40)))
  }

  /// The same, from a cache on the way if that has it: it says how old its answer is.
  func readNear(_ context: FetchContext) async throws -> Int {
    let now = simulation.now
    // Not of the same instant: nobody could tell whether that was before an invalidation.
    let ages = Duration.nanoseconds(1)..<Duration.milliseconds(150)
    if let near = state.with({ $0.near }), ages.contains(now - near.time) {
      context.answer(isOld: now - near.time)
      return near.version
    }
    try await sleep()
    let (version, time) = (version, simulation.now)
    try await sleep()
    state.with { state in
      if state.near.map({ $0.time < time }) ?? true { state.near = (version, time) }
    }
    context.answer(isOld: simulation.now - time)
    return version
  }
}

/// A query of a ``VersionedServer``.
struct VersionedQuery<Value: Sendable>: Sendable {
  let query: Query<Value>
  /// The version of the oldest part of a value that counts.
  let oldest: @Sendable (Value) -> Int
  /// A value of one version.
  let make: @Sendable (Int) -> Value
  /// Whether each fetch reads the server itself.
  var readsServer = true
  /// Adds a part to the data, where there are any.
  var addPart: (@Sendable (QueryClient) async throws -> Void)?
}

extension VersionedServer {
  func plain() -> VersionedQuery<Int> {
    let query = Query<Int>("n") { _ in try await self.read() }
    return VersionedQuery(query: query, oldest: { $0 }, make: { $0 })
  }

  /// It says when nothing has changed.
  func sparing() -> VersionedQuery<Int> {
    let query = Query<Int>("n") { context in
      let version = try await self.read()
      if context.previous(as: Int.self) == version { throw NotModified() }
      return version
    }
    return VersionedQuery(query: query, oldest: { $0 }, make: { $0 })
  }

  /// It takes what a cache on the way has, whatever is asked of it.
  func near() -> VersionedQuery<Int> {
    let query = Query<Int>("n") { try await self.readNear($0) }
    return VersionedQuery(query: query, oldest: { $0 }, make: { $0 }, readsServer: false)
  }

  /// Three pages at most, of which all count, or only the first.
  func pages(firstOnly: Bool) -> VersionedQuery<Pages<Int, Int>> {
    let feed = InfiniteQuery<Int, Int>("n", initialPageParam: 0) { _, _ in
      try await self.read()
    } nextPageParam: {
      $0.pages.count < 3 ? $0.pages.count : nil
    }
    return VersionedQuery(
      query: firstOnly ? feed.refetchingFirstPageOnly() : feed,
      oldest: { (firstOnly ? $0.pages.first : $0.pages.min()) ?? 0 },
      make: { Pages($0, param: 0) },
      addPart: { _ = try await $0.fetchNextPage(of: feed) }
    )
  }

  /// Three parts, read one after the other.
  func parts(_ refetch: StreamedRefetch) -> VersionedQuery<[Int]> {
    let query = Query<[Int]>.streamed("n", refetch: refetch) { _ in
      AsyncThrowingStream(unfolding: self.nextPart())
    }
    return VersionedQuery(query: query, oldest: { $0.min() ?? 0 }, make: { [$0] })
  }

  /// A connection that tells the version again and again.
  func endless() -> VersionedQuery<Int> {
    let query = Query<Int>.streamed("n", into: 0, refetch: .replace, endless: true) { _ in
      AsyncThrowingStream<Int, any Error>(unfolding: { try await self.read() })
    } reduce: {
      $0 = $1
    }
    return VersionedQuery(query: query, oldest: { $0 }, make: { $0 })
  }

  private func nextPart() -> @Sendable () async throws -> Int? {
    let count = Dial(0)
    return {
      let number = count.with { count in
        count += 1
        return count
      }
      return number <= 3 ? try await self.read() : nil
    }
  }
}
