import StreamQuery
import StreamQueryTesting
import Testing

private struct Expired: Error {}

private actor Session {
  private(set) var token = 0

  func renew() { token += 1 }

  func check() throws { if token == 0 { throw Expired() } }
}

/// Renews a token that has expired, whatever the client does.
private struct Renewal: FetchCompanion, MutationCompanion {
  let session: Session

  func attempt<Value: Sendable>(
    _ context: FetchContext,
    perform: AccompaniedAttempt<Value>
  ) async throws -> Value {
    try await renewing(perform)
  }

  func attempt<Output: Sendable>(
    _ context: MutationContext,
    perform: AccompaniedAttempt<Output>
  ) async throws -> Output {
    try await renewing(perform)
  }

  private func renewing<Value>(_ perform: AccompaniedAttempt<Value>) async throws -> Value {
    do {
      return try await perform()
    } catch is Expired {
      await session.renew()
      return try await perform()
    }
  }
}

/// One place for what goes wrong with everything that a client does.
struct RenewalSamples {
  @Test func oneCompanionRenewsTheTokenOfFetchesAndMutations() async throws {
    for isMutation in [true, false] {
      let session = Session()
      var configuration = QueryClient.Configuration()
      configuration.fetchCompanions.append(Renewal(session: session))
      configuration.mutationCompanions.append(Renewal(session: session))
      let client = QueryClient(configuration: configuration)
      if isMutation {
        let mutation = Mutation<String, String>("greet") { name in
          try await session.check()
          return "Hello \(name)"
        }
        try await expectEqual(client.mutate(mutation, with: "Ada"), "Hello Ada")
      } else {
        let query = Query<String>("greeting") {
          try await session.check()
          return "Hello"
        }
        try await expectEqual(client.fetch(query), "Hello")
      }
      await expectEqual(session.token, 1)
    }
  }
}
