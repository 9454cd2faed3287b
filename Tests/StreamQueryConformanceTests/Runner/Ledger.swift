import StreamQuery
import StreamQueryTesting
import Synchronization

/// What happened, as it happened: written by fetchers and calls, read at the end.
final class Ledger: Sendable {
  struct FetchKey: Hashable {
    var client: String
    var fetcher: String
    var key: JSON
  }

  private struct Content {
    var fetches: [FetchKey: [JSON]] = [:]
    var starts: [FetchKey: Int] = [:]
    var mutations: [String: [JSON]] = [:]
    var callbacks: [String: [JSON]] = [:]
    var cacheCallbacks: [JSON] = []
    var calls: [(id: String, time: Int, outcome: JSON)?] = []
    var callNames: [String] = []
  }

  private let content = Mutex(Content())
  let clock: SimulationClock
  private let executor: any TaskExecutor

  // Without the simulation itself, which would be kept by the clients that it keeps.
  init(simulation: Simulation) {
    clock = simulation.clock
    executor = simulation.executor
  }

  /// The scenario's present millisecond.
  var now: Int { Int(clock.now.offset / .milliseconds(1)) }

  /// Lets time go by in a task of its own, which no cancellation reaches.
  func wait(_ milliseconds: Int) async {
    guard milliseconds > 0 else { return }
    await Task(executorPreference: executor) { [clock] in
      _ = try? await clock.sleep(for: .milliseconds(milliseconds))
    }.value
  }

  // MARK: Fetches and mutations

  /// Logs the start of a fetch.
  ///
  /// - Returns: Which call of its kind it is, from 1.
  func start(_ key: FetchKey, page: JSON?) -> Int {
    let time = now
    return content.withLock { content in
      let number = (content.starts[key] ?? 0) + 1
      content.starts[key] = number
      content.fetches[key, default: []].append(
        .array([.int(time), "start", .int(number)] + (page.map { [$0] } ?? []))
      )
      return number
    }
  }

  func abort(_ key: FetchKey, number: Int) {
    let time = now
    content.withLock {
      $0.fetches[key, default: []].append(
        [.int(time), "abort", .int(number)]
      )
    }
  }

  /// Logs the start of a mutation.
  ///
  /// - Returns: Which call of its kind it is, from 1.
  func startMutation(_ name: String, variables: JSON) -> Int {
    let time = now
    return content.withLock { content in
      let number = (content.mutations[name]?.count ?? 0) + 1
      content.mutations[name, default: []].append(
        [.int(time), "start", .int(number), variables]
      )
      return number
    }
  }

  /// Logs a callback of a mutation's observer.
  func callback(of id: String, _ name: String, _ details: JSON) {
    let time = now
    content.withLock {
      $0.callbacks[id, default: []].append([.int(time), .string(name), details])
    }
  }

  /// Logs a callback of the whole cache.
  func cacheCallback(_ name: String, _ details: JSON) {
    let time = now
    content.withLock { $0.cacheCallbacks.append([.int(time), .string(name), details]) }
  }

  // MARK: Calls

  /// Opens a line for a call; calls are listed in the order of their operations.
  func open(_ name: String) -> Int {
    content.withLock {
      $0.callNames.append(name)
      $0.calls.append(nil)
      return $0.calls.count - 1
    }
  }

  func close(_ line: Int, _ outcome: JSON) {
    let time = now
    content.withLock { $0.calls[line] = ($0.callNames[line], time, outcome) }
  }

  // MARK: Trace

  var fetches: JSON {
    .array(
      content.withLock { $0.fetches }.sorted { order($0.key) < order($1.key) }.map { key, log in
        .fields([
          ("client", key.client == "main" ? nil : .string(key.client)),
          ("fn", .string(key.fetcher)),
          ("key", key.key),
          ("log", .array(log)),
        ])
      }
    )
  }

  var mutations: JSON {
    .array(
      content.withLock { $0.mutations }.sorted { $0.key < $1.key }.map { name, log in
        ["fn": .string(name), "log": .array(log)]
      }
    )
  }

  var callbacks: JSON { .object(content.withLock { $0.callbacks }.mapValues(JSON.array)) }

  var cacheCallbacks: JSON { .array(content.withLock { $0.cacheCallbacks }) }

  var calls: JSON {
    .array(
      content.withLock { content in
        zip(content.callNames, content.calls).map { name, call in
          guard let call else { return [.string(name), .null, "pending"] }
          return [.string(name), .int(call.time), call.outcome]
        }
      }
    )
  }

  private func order(_ key: FetchKey) -> String { "\(key.client)/\(key.fetcher)/\(key.key)" }
}
