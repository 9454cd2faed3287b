import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

private struct Rename: Codable, Hashable, Sendable {
  var id: User.ID
  var name: String
}

extension Mutation where Input == Rename, Output == User {
  fileprivate static var rename: Self {
    Mutation("rename-user") { (input: Rename, context: MutationContext) in
      _ = context.idempotencyKey
      return try await API.live.rename(input.id, to: input.name)
    }
    .scope("user-writes")
    .durable(version: "2") { json, version in
      guard version == "1" else { throw CancellationError() }
      return Rename(id: json.count, name: "")
    }
  }
}

/// Durable mutations in the shapes in which people write them.
struct OutboxSamples {
  private func client() -> QueryClient {
    let store = MemoryStore()
    var configuration = QueryClient.Configuration()
    configuration.persistence = Persistence(in: store)
    let signOut = Mutation<Void, Void>("sign-out") {}.durable()
    configuration.outbox = OutboxConfiguration(in: store, mutations: [Mutation.rename, signOut])
    configuration.outbox?.restoreTimeout = .seconds(5)
    return QueryClient(configuration: configuration)
  }

  @Test func aDurableMutationIsRunLikeAnyOther() async throws {
    let client = client()
    try await client.restore()
    let user = try await client.mutate(.rename, with: Rename(id: 42, name: "Ada"))
    expectEqual(user.name, "Ada")
    try await client.save()
    expectEmpty(client.outbox.currentItems)
    client.shutDown()
  }

  @Test func theQueueIsShownAndAnswered() throws {
    let simulation = Simulation()
    let store = MemoryStore()
    let client = QueryClient(simulation: simulation) { $0.outbox = OutboxConfiguration(in: store) }
    let rename = Mutation<Rename, User>("rename") { input, context in
      if input.name.isEmpty { throw AuthError() }
      let user = try await API.live.rename(input.id, to: input.name)
      context.client.setData(user, for: QueryKey<User>("users", user.id))
      return user
    }
    .scope("user-writes")
    .durable()
    .onConflict { _, _, _ in .ask }
    client.outbox.register(.rename)
    client.outbox.register(rename)
    client.observer(of: rename).start(with: Rename(id: 1, name: ""))
    client.observer(of: rename).start(with: Rename(id: 2, name: "Grace"))
    client.observer(of: rename).start(with: Rename(id: 3, name: "Joan"))
    simulation.advance(by: .seconds(1))

    let shown = try simulation.run { () async throws -> [String] in
      var lines: [String] = []
      for await items in client.outbox.items {
        // The last one first: what waits behind an answered item is sent at once.
        for item in items.reversed() {
          let input = try item.input(as: Rename.self)
          switch item.state {
          case .stopped(let error):
            lines.append("\(input.id) stopped by \(error)")
            try await client.outbox.rebase(item.id, with: Rename(id: input.id, name: "Ada"))
          case .waiting where input.id == 2:
            lines.append("2 waits")
            client.outbox.retry(item.id)
          case .saving, .waiting, .sending, .unregistered:
            lines.append("\(input.id) is taken back")
            try await client.outbox.drop(item.id)
          }
        }
        break
      }
      return lines
    }
    expectEqual(shown, ["3 is taken back", "2 waits", "1 stopped by AuthError()"])
    simulation.advance(by: .seconds(1))
    expectEmpty(client.outbox.currentItems)
    expectEqual(client.entries(of: User.self, "users").map(\.data.name).sorted(), ["Ada", "Grace"])
    client.shutDown()
  }

  @Test func modifiersChain() {
    let mutation = Mutation.rename
      .delayed(by: .seconds(5))
      .pacing(.newest)
      .replacingIDs { input, user in [input.name: "\(user.id)"] }
      .onConflict { error, input, context in
        if error is CancellationError { return .ask }
        return context.attempt > 3 ? .drop : .rebase(Rename(id: input.id, name: "Grace"))
      }
    expectEqual(mutation.options.delay, .seconds(5))
    expectEqual(mutation.options.pacing, .newest)
  }

  @Test func pacingAndScopeDependOnTheInput() {
    let mutation = Mutation.rename
      .scope { input in "user-\(input.id)" }
      .pacing(.newest, of: \.id)
      .timeout(.seconds(30))
    expectNil(mutation.options.scope)
    expectEqual(mutation.options.pacing, .newest)
    expectEqual(mutation.options.timeout, .seconds(30))
    let drafts = Mutation.rename
      .scope { $0.name.isEmpty ? nil : "drafts" }
      .pacing(.newest) { $0.name.isEmpty ? nil : $0.id }
    expectEqual(drafts.options.pacing, .newest)
    let error = OutboxError.replacedUnread(mutation: "rename", version: "1")
    #expect("\(error)".contains("pacing(.newest, of:"))
  }
}
