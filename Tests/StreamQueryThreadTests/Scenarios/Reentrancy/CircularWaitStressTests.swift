import Testing

@testable import StreamQuery

/// On threads: pairs of works that try to close a circle at the same time.
@Suite(.timeLimit(.minutes(10))) struct CircularWaitStressTests {
  private static let rounds = 1_500

  /// Where two tasks wait for each other before they go on.
  ///
  /// Of streams, not of a continuation: the thread sanitizer takes a task that goes on without having been
  /// suspended for a race with whoever resumed it.
  private struct Meeting: Sendable {
    private let first = AsyncStream<Void>.makeStream()
    private let second = AsyncStream<Void>.makeStream()

    func arriveFirst() async {
      second.continuation.finish()
      for await _ in first.stream {}
    }

    func arriveSecond() async {
      first.continuation.finish()
      for await _ in second.stream {}
    }
  }

  /// A call that may be refused.
  private static func count(
    _ refused: Dial<Int>,
    _ call: () async throws -> Int
  ) async throws -> Int {
    do {
      return try await call()
    } catch let error as QueryError {
      switch error {
      case .recursiveFetch, .recursiveMutation: refused.with { $0 += 1 }
      default: throw error
      }
      return 0
    }
  }

  /// A fetch, or a run in a lane of its own, that meets another one and then awaits it.
  private static func work(
    _ isRun: Bool,
    _ name: String,
    _ round: Int,
    on peer: Peer,
    _ refused: Dial<Int>,
    meeting: @escaping @Sendable () async -> Void,
    awaiting other: @escaping @Sendable () async throws -> Int
  ) async throws -> Int {
    if isRun {
      let run = Mutation("\(name)", round) { (_: Int) in
        await meeting()
        return try await count(refused, other)
      }.scope("\(name) \(round)")
      return try await peer.client.mutate(run, with: 0)
    }
    let query = Query<Int>("\(name)", round) { _ in
      await meeting()
      return try await count(refused, other)
    }
    return try await peer.client.fetch(query)
  }

  /// Waits for such a work, or for the lane that it is in.
  private static func wait(
    _ isRun: Bool,
    _ name: String,
    _ round: Int,
    on peer: Peer
  ) async throws -> Int {
    guard isRun else { return try await peer.client.fetch(Query("\(name)", round) { 0 }) }
    let inner = Mutation("inner") { (input: Int) in input }.scope("\(name) \(round)")
    return try await peer.client.mutate(inner, with: 1)
  }

  @Test(arguments: [(false, false), (true, true), (true, false)])
  func ofAPairOfWaitsThatCloseACircleExactlyOneIsRefused(kinds: (Bool, Bool)) async throws {
    let (one, two) = (QueryClient(), QueryClient())
    let (first, second) = (Peer(one), Peer(two))
    let refused = Dial(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for round in stride(from: worker, to: Self.rounds, by: 4) {
            let meeting = Meeting()
            async let a = Self.work(
              kinds.0,
              "a",
              round,
              on: first,
              refused,
              meeting: meeting.arriveFirst
            ) {
              try await Self.wait(kinds.1, "b", round, on: second)
            }
            async let b = Self.work(
              kinds.1,
              "b",
              round,
              on: second,
              refused,
              meeting: meeting.arriveSecond
            ) {
              try await Self.wait(kinds.0, "a", round, on: first)
            }
            _ = try await (a, b)
          }
        }
      }
      try await group.waitForAll()
    }
    expectEqual(refused.value, Self.rounds)
    for client in [one, two] {
      expectEqual(client.mutatingCount(), 0)
      client.shutDown()
      expectEqual(WorkWait.count(of: client.cache.read { $0.id }), 0)
    }
  }
}
