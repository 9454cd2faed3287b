import StreamQueryPersistence
import StreamQueryTesting
import StreamQueryUI
import Testing

@testable import StreamQuery

/// What observed objects show after the end of an account: nothing.
@MainActor
struct ErasedObjectsTests {
  private struct Broken: Error {}

  @MainActor private final class Owner {
    var shown: [String] = []
  }

  private let secret = Query<String>(key: "secret") { "secret" }

  /// Opens an account, shows something, ends the account, and looks again.
  ///
  /// - Parameters:
  ///   - closes: Whether the account is closed before it ends.
  ///   - show: Shows something.
  ///   - check: Looks again.
  private func run<Shown>(
    closes: Bool = false,
    _ show: @MainActor (Simulation, QueryClient) -> Shown,
    _ check: @MainActor (Shown) -> Void
  ) {
    for seed: UInt64 in 0..<5 {
      Simulation.onMainActor(seed: seed) { simulation in
        let accounts = QueryAccounts(in: MemoryStore(), simulation: simulation)
        let opening = simulation.task { try await accounts.open("ada") }
        simulation.settle()
        let account = simulation.run { try? await opening.value }
        guard let account else {
          Issue.record("no account")
          return
        }
        account.client.setData("secret", for: secret)
        let shown = show(simulation, account.client)
        simulation.advance(by: .seconds(1))
        if closes {
          let closing = simulation.task { try await account.close() }
          simulation.settle()
          simulation.run { _ = try? await closing.value }
        }
        let ending = simulation.task { try await account.end() }
        simulation.settle()
        simulation.run { _ = try? await ending.value }
        check(shown)
      }
    }
  }

  @Test("an observed query is empty when the end of the account returns, and its reader is told")
  func observedQuery() {
    run { _, client in
      let observed = ObservedQuery(secret, client: client)
      return (observed, Screen { observed.data ?? "-" })
    } _: { observed, screen in
      expectNil(observed.data)
      expectEqual(observed.status, .pending)
      expectEqual(screen.frames, ["secret", "-"])
    }
  }

  @Test("a query that was stopped, or only drawn, is empty as well")
  func stopped() {
    run { _, client in
      let stopped = ObservedQuery(secret, client: client)
      stopped.stop()
      expectEqual(stopped.data, "secret")
      let drawn = ObservedQuery(secret)
      drawn.drawn(secret, using: client, observing: .onAppear)
      expectEqual(drawn.data, "secret")
      return [stopped, drawn]
    } _: { (observed: [ObservedQuery<String>]) in
      expectEqual(observed.map(\.data), [nil, nil])
    }
  }

  @Test("a list of runs is empty, also one that was stopped")
  func runs() {
    run { simulation, client in
      let saving = ObservedMutation(Mutation("save") { (input: Int) in input }, client: client)
      saving.run(1)
      simulation.settle()
      let runs = (0..<2).map { _ in ObservedValue(.runs(), client: client) }
      runs[1].stop()
      expectEqual(runs.map(\.value.count), [1, 1])
      return runs
    } _: { runs in
      expectEqual(runs.map(\.value.count), [0, 0])
    }
  }

  @Test("what a value of one's own still says after the end of the account is not shown")
  func ownValue() {
    run { simulation, client in
      let (texts, text) = AsyncStream<String>.makeStream()
      let source = ClientValue(initial: "-", now: { _ in "secret" }, changes: { _ in texts })
      let observed = ObservedValue(source, client: client)
      expectEqual(observed.value, "secret")
      return (simulation, client, text, source, observed)
    } _: { simulation, client, text, source, observed in
      expectEqual(observed.value, "-")
      text.yield("secret")
      simulation.settle()
      expectEqual(observed.value, "-")
      expectEqual(ObservedValue(source, client: client).value, "-")
    }
  }

  @Test("a selection and what stands in for the next page are forgotten")
  func kept() {
    let other = Query<String>(key: "other") { "other" }
    run { simulation, client in
      let lengths = ObservedSelection(secret, client: client) { $0.count }
      let pages = ObservedQuery(secret, client: client, keepsPreviousData: true)
      return (lengths, pages, QueryClient(simulation: simulation, configuration: .server))
    } _: { lengths, pages, client in
      expectNil(lengths.data)
      expectNil(pages.data)
      pages.update(query: other.enabled(false))
      pages.start(using: client)
      expectNil(pages.data)
      client.shutDown()
    }
  }

  @Test("data of one client never stands in for data of another")
  func otherClient() {
    Simulation.onMainActor { simulation in
      let first = QueryClient(simulation: simulation)
      let second = QueryClient(simulation: simulation)
      let other = Query<String>(key: "other") { "other" }
      first.setData("secret", for: secret)
      let observed = ObservedQuery(secret, client: first, keepsPreviousData: true)
      expectEqual(observed.data, "secret")
      observed.follow(other, using: second)
      expectNil(observed.data)
      observed.follow(secret, using: first)
      expectEqual(observed.data, "secret")
      observed.stop()
      observed.follow(other, using: second)
      expectNil(observed.data)
      observed.stop()
    }
  }

  @Test("the list of what waits to be sent is empty, and one that is made afterwards too")
  func outbox() {
    struct Note: Codable, Hashable, Sendable { var text = "secret" }
    for seed: UInt64 in 0..<5 {
      Simulation.onMainActor(seed: seed) { simulation in
        let offline = ManualSignal(false)
        let send = Mutation("send") { (note: Note, _: MutationContext) in note }.durable()
        let accounts = QueryAccounts(in: MemoryStore(), simulation: simulation) {
          _,
          configuration in
          configuration.connectivity = Connectivity { offline }
          configuration.outbox = OutboxConfiguration(in: MemoryStore(), mutations: [send])
        }
        let opening = simulation.task { try await accounts.open("ada") }
        simulation.settle()
        guard let account = simulation.run({ try? await opening.value }) else {
          Issue.record("no account")
          return
        }
        let client = account.client
        client.observer(of: send).start(with: Note())
        simulation.settle()
        let outbox = ObservedOutbox(client: client)
        let screen = Screen { outbox.items.compactMap { try? $0.input(as: Note.self).text } }
        expectEqual(screen.frames, [["secret"]])
        let ending = simulation.task { try await account.end() }
        simulation.settle()
        simulation.run { _ = try? await ending.value }
        expect(outbox.items.isEmpty && outbox.isEmpty && outbox.stopped.isEmpty)
        expectEqual(screen.frames, [["secret"], []])
        let late = ObservedOutbox(client: client)
        expect(late.items.isEmpty && late.isEmpty && late.stopped.isEmpty)
      }
    }
  }

  @Test("an object that shows another account's data keeps it")
  func otherAccount() {
    run { simulation, client in
      let observed = ObservedQuery(secret, client: client)
      let other = QueryClient(simulation: simulation)
      other.setData("of another", for: secret)
      observed.follow(secret.enabled(false), using: other)
      observed.stop()
      return observed
    } _: { (observed: ObservedQuery<String>) in
      expectEqual(observed.data, "of another")
    }
  }

  @Test("lists, mutations and boundaries forget")
  func others() {
    let rename = Mutation("rename") { (name: String, _: MutationContext) in "renamed to \(name)" }
    let fetch = ScriptedFetch<String>(.failure(Broken()))
    let failing = Query<String>(key: "failing", fetch: fetch).retry(0).throwOnError(.always)
    run { simulation, client in
      let list = ObservedQueries([AnyQuery(secret)], client: client)
      let stopped = ObservedQueries([AnyQuery(secret)], client: client)
      stopped.stop()
      let mutation = ObservedMutation(rename, client: client)
      mutation.run("secret")
      let boundary = ErrorBoundary()
      let failed = ObservedQuery(failing, client: client)
      failed.boundary = boundary
      simulation.advance(by: .seconds(1))
      expect(mutation.output == "renamed to secret" && mutation.input == "secret")
      expectEqual(boundary.errors.count, 1)
      expectEqual(stopped[secret]?.data, "secret")
      _ = boundary.report(Broken())
      return (list, stopped, mutation, boundary, failed)
    } _: { list, stopped, mutation, boundary, failed in
      expect(list[secret]?.data == nil && stopped.results == nil)
      expect(mutation.output == nil && mutation.input == nil && mutation.isIdle)
      expectEqual(boundary.errors.count, 1)
      expectNil(failed.error)
    }
  }

  @Test("a mutation that nothing else keeps the client's delivery for is forgotten")
  func mutationAlone() {
    let rename = Mutation("rename") { (name: String, _: MutationContext) in "renamed to \(name)" }
    for closes in [false, true] {
      run(closes: closes) { simulation, client in
        let mutation = ObservedMutation(rename, client: client)
        mutation.run("secret")
        simulation.advance(by: .seconds(1))
        expectEqual(mutation.output, "renamed to secret")
        return mutation
      } _: { mutation in
        expect(mutation.output == nil && mutation.input == nil)
      }
    }
  }

  @Test("boundaries forget errors of queries that are gone, the one around them as well")
  func boundaryAlone() {
    let fetch = ScriptedFetch<String>(.failure(Broken()))
    let failing = Query<String>(key: "failing", fetch: fetch).retry(0).throwOnError(.always)
    for isNested in [false, true] {
      run { simulation, client in
        let boundary = ErrorBoundary()
        do {
          let inner = isNested ? ErrorBoundary(parent: boundary, catches: { _ in false }) : boundary
          let failed = ObservedQuery(failing, client: client)
          failed.boundary = inner
          simulation.advance(by: .seconds(1))
          withExtendedLifetime(inner) {}
        }
        expectEqual(boundary.errors.count, 1)
        return boundary
      } _: { (boundary: ErrorBoundary) in
        expectEmpty(boundary.errors)
      }
    }
  }

  @Test("what was closed before is forgotten as well")
  func closed() {
    let quiet = secret.enabled(false)
    run(closes: true) { _, client in
      let owner = Owner()
      client.observe(quiet, on: owner) { [weak owner] in owner?.shown.append($0.data ?? "-") }
      let list = ObservedQueries([AnyQuery(quiet)], client: client)
      return (owner, ObservedQuery(quiet, client: client), list)
    } _: { (owner: Owner, observed: ObservedQuery<String>, list: ObservedQueries) in
      expectEqual(owner.shown, ["secret", "-"])
      expect(observed.data == nil && list.results == nil)
    }
  }

  @Test("an object that begins to observe while another thread ends the account is empty as well")
  func begunDuringTheEnd() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let query = secret.enabled(false)
      client.setData("secret", for: query)
      // The other thread has got this far.
      client.erasure.markBegun()
      let list = ObservedQueries([AnyQuery(query)], client: client)
      let observed = ObservedQuery(query, client: client)
      client.erase()
      simulation.settle()
      expectNil(list.results)
      expectNil(observed.data)
    }
  }

  @Test("an object that is told of results is told that there is none")
  func told() {
    run { _, client in
      let owner = Owner()
      client.observe(secret.enabled(false), on: owner) { [weak owner] in
        owner?.shown.append($0.data ?? "-")
      }
      return owner
    } _: { (owner: Owner) in
      expectEqual(owner.shown, ["secret", "-"])
    }
  }

  @Test("after a shutdown that erases nothing, what is shown stays")
  func shutDown() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      client.setData("secret", for: secret)
      let observed = ObservedQuery(secret, client: client)
      client.shutDown()
      simulation.advance(by: .seconds(1))
      expectEqual(observed.data, "secret")
    }
  }
}
