import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

@MainActor
struct PrefetchingTests: ObservedSuite {
  private func data(_ names: String..., in client: QueryClient) -> [String?] {
    names.map { client.data(for: QueryKey<String>($0)) }
  }

  @Test("T93: what is missing or stale is fetched ahead, and nothing is observed")
  func missingAndStale() {
    run { simulation, client in
      let fresh = ScriptedFetch<String>(.value("new"))
      let stale = ScriptedFetch<String>(.value("new"))
      client.setData("old", for: query("fresh"))
      client.setData("old", for: query("stale"))
      simulation.advance(by: .seconds(10))
      let prefetching = Prefetching(
        query("missing"),
        query("fresh", fresh).staleTime(.minutes(1)),
        query("stale", stale).staleTime(.seconds(1)),
        client: client
      )
      let task = Task { await prefetching.fetchAhead() }
      simulation.settle()
      #expect(client.diagnostics(.all).allSatisfy { $0.observerCount == 0 })
      simulation.advance(by: .seconds(1))
      expectEqual(data("missing", "fresh", "stale", in: client), ["fetched", "old", "new"])
      task.cancel()
    }
  }

  @Test("what is disabled is left out, and without a client nothing is fetched")
  func leftOut() {
    run { simulation, client in
      let disabled = ScriptedFetch<String>(.value("A"))
      let failing = ScriptedFetch<String>(.failure(Broken()))
      var prefetching = Prefetching(query("a", disabled).enabled(false), query("b", failing))
      Task { [prefetching] in await prefetching.fetchAhead() }
      simulation.advance(by: .seconds(1))
      expectEqual(failing.callCount, 0)
      prefetching.client = client
      Task { [prefetching] in await prefetching.fetchAhead() }
      simulation.advance(by: .seconds(1))
      expect(disabled.callCount == 0 && failing.callCount == 1)
    }
  }

  @Test("what is kept in a store is fetched once the store is read, unless it is disabled")
  func keptInAStore() {
    run { simulation, client in
      let store = MemoryStore()
      let enabled = ScriptedFetch<String>(.value("A"))
      let disabled = ScriptedFetch<String>(.value("B"))
      let prefetching = Prefetching(
        query("a", enabled).persisted(in: store),
        query("b", disabled).persisted(in: store).enabled(false),
        client: client
      )
      Task { await prefetching.fetchAhead() }
      simulation.advance(by: .seconds(1))
      expect(enabled.callCount == 1 && disabled.callCount == 0)
      #expect(client.diagnostics(.all).allSatisfy { $0.observerCount == 0 })
    }
  }

  @Test("a request outlives the view by a second, in which the next view takes it over")
  func afterTheView() {
    run { simulation, client in
      let slow = ScriptedFetch<String>(.value("A", after: .seconds(5)), .value("B"))
      let shown = query("a", slow)
      let view = Task { await Prefetching(shown, client: client).fetchAhead() }
      simulation.advance(by: .seconds(1))
      view.cancel()
      simulation.advance(by: .milliseconds(900))
      let next = ObservedQuery(shown, client: client)
      simulation.advance(by: .seconds(4))
      expect(next.data == "A" && slow.callCount == 1)
    }
    run { simulation, client in
      let slow = ScriptedFetch<String>(.value("A", after: .seconds(5)))
      let view = Task { await Prefetching(query("a", slow), client: client).fetchAhead() }
      simulation.advance(by: .seconds(1))
      view.cancel()
      simulation.advance(by: .milliseconds(900))
      expectEqual(client.fetchingCount(), 1)
      simulation.advance(by: .milliseconds(100))
      expect(client.fetchingCount() == 0 && data("a", in: client) == [nil])
    }
  }

  @Test("what is cancelled before it begins fetches nothing")
  func cancelledBefore() {
    run { simulation, client in
      let fetch = ScriptedFetch<String>(.value("A"))
      let view = Task { await Prefetching(query("a", fetch), client: client).fetchAhead() }
      view.cancel()
      simulation.advance(by: .seconds(2))
      expectEqual(fetch.callCount, 0)
    }
  }

  @Test("it is another value when a query was enabled, by itself or by what is cached")
  func enabled() {
    run { _, client in
      let byData = query("b").enabled { (data: String?) in data == nil }
      let all = [true, false].map { Prefetching(query("a").enabled($0), byData, client: client) }
      expect(all[0] != all[1])
      client.setData("B", for: byData)
      expect(all[0] != Prefetching(query("a").enabled(true), byData, client: client))
      var later = Prefetching(query("a").enabled(true), byData)
      later.client = client
      expectEqual(later, Prefetching(query("a"), byData, client: client))
    }
  }

  @Test("in a preview nothing is fetched, and it is another value with another key or client")
  func identity() {
    run { simulation, client in
      let fetch = ScriptedFetch<String>(.value("A"))
      let preview = QueryPreview()
      // A preview leaves its tasks to the process.
      defer {
        preview.client.shutDown()
        preview.executor.run()
      }
      Task { await Prefetching(query("a", fetch), client: preview.client).fetchAhead() }
      simulation.advance(by: .seconds(1))
      expectEqual(fetch.callCount, 0)
      let one = Prefetching(query("a"), query("b"), client: client)
      expectEqual(one, Prefetching(query("a", fetch), query("b"), client: client))
      expect(one != Prefetching(query("a"), client: client))
      expect(one != Prefetching(query("a"), query("b")))
      expect(one != Prefetching(query("a"), query("b"), client: preview.client))
    }
  }

  private struct Broken: Error {}
}
