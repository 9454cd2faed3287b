import StreamQuery
import StreamQueryTesting
import Testing

/// Callers on real threads, each with task-locals and a priority of its own, on one client.
@Suite(.timeLimit(.minutes(10))) struct TaskLocalStressTests {
  private static let rounds = Seeds.times(2_500, orElse: 500)
  private static let priorities: [TaskPriority] = [.background, .utility, .medium, .high]

  /// What went wrong, by kind.
  private struct Strays: Equatable {
    var count = 0
    var foreignLocals = 0
    var foreignPriorities = 0
  }

  /// The caller's own name and priority, which what it begins has as well.
  private enum Own {
    @TaskLocal static var name = "nobody"
    @TaskLocal static var priority: TaskPriority?
  }

  private static func look(as name: String, _ strays: Dial<Strays>) {
    let isForeign = Own.name != name
    let isOwn = Own.priority == Task.currentPriority
    strays.with {
      $0.count += 1
      if isForeign { $0.foreignLocals += 1 }
      if !isOwn { $0.foreignPriorities += 1 }
    }
  }

  /// Calls from four tasks of different priority, none of which is awaited: that would raise it.
  private func call(_ body: @escaping @Sendable (_ name: String, _ round: Int) async -> Void) async
  {
    await withUnsafeContinuation { (all: UnsafeContinuation<Void, Never>) in
      let left = Dial(Self.priorities.count)
      for (index, priority) in Self.priorities.enumerated() {
        _ = Task.detached(priority: priority) {
          let name = "caller \(index)"
          await Own.$priority.withValue(priority) {
            await Own.$name.withValue(name) {
              for round in 0..<Self.rounds { await body(name, round) }
            }
          }
          let isLast = left.with { left in
            left -= 1
            return left == 0
          }
          if isLast { all.resume() }
        }
      }
    }
  }

  @Test func noFetchRunsInAStrangersContext() async {
    let client = QueryClient()
    let strays = Dial(Strays())
    await call { name, round in
      let query = Query<Int>("n", name, round) { (context: FetchContext) in
        Self.look(as: name, strays)
        if round.isMultiple(of: 10), context.attempt == 0 { throw Boom() }
        return round
      }
      .retry(.times(1).backoff(.constant(.zero)))
      _ = try? await client.fetch(query)
    }
    let attempts = Self.priorities.count * (Self.rounds + Self.rounds / 10)
    expectEqual(strays.value, Strays(count: attempts))
  }

  @Test func noPieceOfARunRunsInAStrangersContext() async {
    let client = QueryClient()
    let strays = Dial(Strays())
    await call { name, round in
      let mutation = Mutation<Int, Int>("m", name) { input, context in
        Self.look(as: name, strays)
        if input.isMultiple(of: 10), context.attempt == 0 { throw Boom() }
        return input
      }
      .retry(.times(1).backoff(.constant(.zero)))
      .gcTime(.zero)
      .onMutate { _, _ in Self.look(as: name, strays) }
      .onSettled { _, _ in Self.look(as: name, strays) }
      _ = try? await client.mutate(mutation, with: round)
    }
    let pieces = Self.priorities.count * (3 * Self.rounds + Self.rounds / 10)
    expectEqual(strays.value, Strays(count: pieces))
  }
}
