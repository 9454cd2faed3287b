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
  case QueryError.missingFetch, QueryError.missingPerform: "$noFunction"
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
  /// What a refetch does with the data of a stream.
  let refetchMode: StreamedRefetch
  let ledger: Ledger

  init(name: String, client: String, definition: JSON, ledger: Ledger) {
    self.name = name
    self.client = client
    self.ledger = ledger
    outcomes = definition["outcomes"]?.array ?? []
    isCancellable = definition["signal"]?.bool ?? false
    refetchMode = definition["refetchMode"]?.string.flatMap(StreamedRefetch.init) ?? .reset
  }

  /// What becomes of a fetch by this function when nobody wants it.
  var abandonment: AbandonmentPolicy { isCancellable ? .cancel : .finish }

  var isStreamed: Bool { outcomes.contains { $0["chunks"] != nil } }

  /// One call.
  ///
  /// - Parameters:
  ///   - key: The key, in the scenario's notation.
  ///   - page: The page to fetch, and in which direction; `nil` if there are no pages.
  /// - Returns: The outcome's value.
  /// - Throws: The outcome's error; `CancellationError` if the function honours cancellation.
  func callAsFunction(
    _ key: JSON,
    page: (param: JSON, isForward: Bool)? = nil
  ) async throws
    -> JSON
  {
    let call = begin(key, page)
    let outcome = call.outcome
    do {
      try await wait(outcome["delay"]?.int ?? 0)
    } catch {
      call.abort()
      throw error
    }
    if let message = outcome["error"]?.string { throw ScenarioError(message: message) }
    if outcome["auto"]?.bool == true {
      if let page {
        return .string("p\(page.param.string ?? page.param.description)#\(call.number)")
      }
      return .string(Self.path(key) + "#\(call.number)")
    }
    return outcome["value"] ?? .null
  }

  /// One call whose outcome is a stream.
  func stream(_ key: JSON) -> Chunks { Chunks(fetcher: self, call: begin(key, nil)) }

  struct Chunks: AsyncSequence {
    let fetcher: ScenarioFetcher
    let call: Call

    func makeAsyncIterator() -> Iterator {
      Iterator(
        fetcher: fetcher,
        call: call,
        chunks: (call.outcome["chunks"]?.array ?? [call.outcome])[...]
      )
    }

    struct Iterator: AsyncIteratorProtocol {
      let fetcher: ScenarioFetcher
      let call: Call
      var chunks: ArraySlice<JSON>

      mutating func next(isolation actor: isolated (any Actor)?) async throws -> JSON? {
        while let chunk = chunks.popFirst() {
          do {
            try await fetcher.wait(chunk["delay"]?.int ?? 0)
          } catch {
            call.abort()
            throw error
          }
          if let message = chunk["error"]?.string { throw ScenarioError(message: message) }
          if let value = chunk["value"] { return value }
        }
        return nil
      }
    }
  }

  /// One call of the function, as the ledger knows it.
  struct Call: Sendable {
    let identity: Ledger.FetchKey
    let number: Int
    let outcome: JSON
    let ledger: Ledger

    func abort() { ledger.abort(identity, number: number) }
  }

  private func begin(_ key: JSON, _ page: (param: JSON, isForward: Bool)?) -> Call {
    let identity = Ledger.FetchKey(client: client, fetcher: name, key: key)
    let page = page.map { page -> JSON in
      ["page": page.param, "direction": page.isForward ? "forward" : "backward"]
    }
    let number = ledger.start(identity, page: page)
    let outcome = outcomes.isEmpty ? .null : outcomes[min(number, outcomes.count) - 1]
    return Call(identity: identity, number: number, outcome: outcome, ledger: ledger)
  }

  private func wait(_ milliseconds: Int) async throws {
    guard milliseconds > 0 else { return }
    if isCancellable {
      try await ledger.clock.sleep(for: .milliseconds(milliseconds))
    } else {
      // A task of its own, which does not hear that the fetch's task is cancelled.
      await ledger.wait(milliseconds)
    }
  }

  private static func path(_ key: JSON) -> String {
    (key.array ?? []).map { $0.string ?? $0.description }.joined(separator: "/")
  }
}

/// A named function of a scenario that mutations perform; it is never cancelled.
struct ScenarioMutator: Sendable {
  let name: String
  let outcomes: [JSON]
  let ledger: Ledger

  func callAsFunction(_ variables: JSON) async throws -> JSON {
    let number = ledger.startMutation(name, variables: variables)
    let outcome = outcomes.isEmpty ? .null : outcomes[min(number, outcomes.count) - 1]
    let delay = outcome["delay"]?.int ?? 0
    await ledger.wait(delay)
    if let message = outcome["error"]?.string { throw ScenarioError(message: message) }
    if outcome["auto"]?.bool == true { return .string("\(name)#\(number)") }
    return outcome["value"] ?? .null
  }
}
