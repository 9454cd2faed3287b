import CMeasure
import Synchronization

// The caches that a server developer would write without a library. All of them keep an answer for a day,
// and ask the server once for callers that come together. None retries, limits its memory, cancels a
// fetch that nobody waits for, or invalidates.

/// The key by which rivals keep answers.
struct RivalKey: Hashable, Sendable {
  var kind = "user"
  var id: Int
}

/// How long rivals keep an answer, in nanoseconds.
private let lifetime: UInt64 = 86_400_000_000_000

/// An actor with a dictionary of tasks.
actor ActorCache {
  private var tasks: [RivalKey: (task: Task<Int, any Error>, end: UInt64)] = [:]

  func value(
    for key: RivalKey,
    _ fetch: @escaping @Sendable () async throws -> Int
  ) async throws -> Int {
    let now = measure_time()
    if let known = tasks[key], known.end > now { return try await known.task.value }
    let task = Task { try await fetch() }
    tasks[key] = (task, now + lifetime)
    do {
      return try await task.value
    } catch {
      tasks[key] = nil
      throw error
    }
  }
}

/// A lock, a dictionary of values, and one of the tasks in flight.
final class LockedCache: Sendable {
  private struct State {
    var values: [RivalKey: (value: Int, end: UInt64)] = [:]
    var tasks: [RivalKey: Task<Int, any Error>] = [:]
  }

  private enum Found {
    case value(Int)
    case task(Task<Int, any Error>)
  }

  private let state = Mutex(State())

  func value(
    for key: RivalKey,
    _ fetch: @escaping @Sendable () async throws -> Int
  ) async throws -> Int {
    let now = measure_time()
    let found = state.withLock { state -> Found in
      if let known = state.values[key], known.end > now { return .value(known.value) }
      if let task = state.tasks[key] { return .task(task) }
      let task = Task {
        do {
          let value = try await fetch()
          self.landed(value, key)
          return value
        } catch {
          self.landed(nil, key)
          throw error
        }
      }
      state.tasks[key] = task
      return .task(task)
    }
    switch found {
    case .value(let value): return value
    case .task(let task): return try await task.value
    }
  }

  private func landed(_ value: Int?, _ key: RivalKey) {
    state.withLock { state in
      state.tasks[key] = nil
      if let value { state.values[key] = (value, measure_time() + lifetime) }
    }
  }
}

/// A dictionary that never changes, so that it needs no lock: no cache can be faster.
final class FixedTable: Sendable {
  private let values: [RivalKey: (value: Int, end: UInt64)]

  init(_ count: Int) {
    values = Dictionary(
      uniqueKeysWithValues: (0..<count).map { (RivalKey(id: $0), ($0, UInt64.max)) }
    )
  }

  func value(for key: RivalKey) async throws -> Int {
    let now = measure_time()
    guard let known = values[key], known.end > now else { throw CancellationError() }
    return known.value
  }
}
