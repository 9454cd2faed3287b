import StreamQuery
import StreamQueryTesting

/// An error of a scenario: it is known by its message.
struct ScenarioError: Error, Hashable {
  var message: String
}

/// The message under which a trace names an error.
func message(of error: any Error) -> String {
  switch error {
  case let error as ScenarioError: error.message
  case is CancellationError: "$cancelled"
  case QueryError.missingFetch: "$noFunction"
  default: String(describing: error)
  }
}

/// A named function of a scenario, as one client's queries call it.
struct ScenarioFetcher: Sendable {
  let name: String
  let client: String
  let outcomes: [JSON]
  /// Whether the function listens to cancellation; without, it runs to its end whatever happens.
  let isCancellable: Bool
  let ledger: Ledger

  init(name: String, client: String, definition: JSON, ledger: Ledger) {
    self.name = name
    self.client = client
    self.ledger = ledger
    outcomes = definition["outcomes"]?.array ?? []
    isCancellable = definition["signal"]?.bool ?? false
  }

  /// What becomes of a fetch by this function when nobody wants it.
  var abandonment: AbandonmentPolicy { isCancellable ? .cancel : .finish }

  /// One call.
  func callAsFunction(_ key: JSON) async throws -> JSON {
    let identity = Ledger.FetchKey(client: client, fetcher: name, key: key)
    let number = ledger.start(identity, page: nil)
    let outcome = outcomes[min(number, outcomes.count) - 1]
    do {
      try await wait(outcome["delay"]?.int ?? 0)
    } catch {
      ledger.abort(identity, number: number, page: nil)
      throw error
    }
    if let message = outcome["error"]?.string { throw ScenarioError(message: message) }
    if outcome["auto"]?.bool == true {
      return .string(Self.path(key) + "#\(number)")
    }
    return outcome["value"] ?? .null
  }

  private func wait(_ milliseconds: Int) async throws {
    guard milliseconds > 0 else { return }
    let clock = ledger.simulation.clock
    if isCancellable {
      try await clock.sleep(for: .milliseconds(milliseconds))
    } else {
      // A task of its own, which does not hear that the fetch's task is cancelled.
      await ledger.simulation.task(name) {
        _ = try? await clock.sleep(for: .milliseconds(milliseconds))
      }.value
    }
  }

  private static func path(_ key: JSON) -> String {
    (key.array ?? []).map { $0.string ?? $0.description }.joined(separator: "/")
  }
}
