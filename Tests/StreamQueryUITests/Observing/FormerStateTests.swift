import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

/// What is shown after another client, another key or a shutdown.
@MainActor
struct FormerStateTests: ObservedSuite {
  @Test("G05: what does not observe shows nothing of the former client")
  func whatDoesNotObserveShowsNothingOfAFormerClient() {
    run { simulation, client in
      let other = QueryClient(simulation: simulation)
      client.setData("Ada's", for: query("a"))
      client.setData("Ada's", for: query("b"))
      other.setData("Bob's", for: query("a"))
      let observed = ObservedQuery(query("a"))
      let kept = ObservedQuery(query("b"), keepsPreviousData: true)
      let list = ObservedQueries([AnyQuery(query("a"))])
      @MainActor func draw(_ client: QueryClient) {
        observed.drawn(query("a"), using: client, observing: .onAppear)
        kept.drawn(query("b"), using: client, observing: .onAppear)
        list.preview([AnyQuery(query("a"))], client)
      }
      draw(client)
      let screen = Screen { [observed.data, kept.data, list[query("a")]?.data] }
      expectEqual(screen.frames, [["Ada's", "Ada's", "Ada's"]])
      draw(other)
      expectEqual([observed.data, kept.data, list[query("a")]?.data], ["Bob's", nil, "Bob's"])
      simulation.settle()
      expectEqual(screen.frames.last, ["Bob's", nil, "Bob's"])
      expect(!observed.isObserving && client.diagnostics().allSatisfy { $0.observerCount == 0 })
      withExtendedLifetime((observed, kept, list)) {}
    }
  }

  @Test("data that nobody was told of when the key changed is kept, too")
  func undeliveredDataIsKept() {
    run { simulation, client in
      let whole = ObservedQuery(query("a"), client: client, keepsPreviousData: true)
      let count = ObservedSelection(query("a"), client: client, keepsPreviousData: true) {
        $0.count
      }
      simulation.settle()
      for text in ["first", "second one"] {
        whole.update(query: query("a"))
        count.update(query: query("a"))
        client.setData(text, for: query("a"))
        whole.update(query: query("b"))
        count.update(query: query("b"))
        expect(whole.data == text && whole.isPlaceholderData)
        expect(count.data == text.count && count.isPlaceholderData)
      }
      simulation.advance(by: .seconds(1))
      expect(whole.data == "fetched" && !whole.isPlaceholderData)
    }
  }

  @Test(
    "a selection from before a removal that nobody has read is not shown beside an error",
    arguments: [false, true]
  )
  func unreadRemovals(keepsPreviousData: Bool) {
    struct Bad: Error {}
    run { simulation, client in
      let text = query("a").staleTime(.hours(1))
      client.setData("one", for: text)
      let count = ObservedSelection(
        text,
        client: client,
        keepsPreviousData: keepsPreviousData
      ) { (text: String) throws -> Int in
        if text == "bad" { throw Bad() }
        return text.count
      }
      expectEqual(count.data, 3)
      client.setData("four", for: text)
      simulation.settle()
      // Nobody reads the object while its query is removed and written again.
      client.remove(text)
      simulation.settle()
      client.setData("bad", for: text)
      simulation.settle()
      expect(count.isError)
      expectNil(count.data)
    }
  }

  @Test("what was stopped shows another key's own data when it is asked for that")
  func anotherKeyAfterAStop() {
    run { simulation, client in
      client.setData("A", for: query("a"))
      client.setData("B", for: query("b"))
      let observed = ObservedQuery(query("a").enabled(false), client: client)
      observed.stop()
      observed.update(query: query("a"))
      expectEqual(observed.data, "A")
      observed.update(query: query("b"))
      expectEqual(observed.data, "B")
      client.shutDown()
      simulation.settle()
      expectEqual(observed.data, "B")
      observed.update(query: query("c"))
      expect(observed.data == nil && !observed.isObserving)
    }
  }

  @Test("a list that was stopped shows the queries of another list when it is given that")
  func anotherListAfterAStop() {
    run { simulation, client in
      client.setData("A", for: query("a"))
      client.setData("B", for: query("b"))
      let list = ObservedQueries([AnyQuery(query("a").enabled(false))], client: client)
      list.stop()
      list.update([AnyQuery(query("a"))])
      expectEqual(list[query("a")]?.data, "A")
      list.update([AnyQuery(query("b"))])
      expectEqual(list[query("b")]?.data, "B")
      expectNil(list[query("a")])
      expect(!list.isObserving && client.diagnostics().allSatisfy { $0.observerCount == 0 })
      client.shutDown()
      simulation.settle()
      expectEqual(list[query("b")]?.data, "B")
    }
  }

  @Test("what was shut down stays for as long as it is asked for")
  func anotherDrawingAfterAShutdown() {
    run { simulation, client in
      client.setData("A", for: query("a"))
      let observed = ObservedQuery(query("a"))
      observed.drawn(query("a"), using: client, observing: .onAppear)
      client.shutDown()
      simulation.settle()
      observed.drawn(query("a"), using: client, observing: .onAppear)
      expectEqual(observed.data, "A")
    }
  }

  @Test("what is drawn again before it hears of a shutdown stays, but not under another key")
  func drawnAgainBeforeItHearsOfAShutdown() {
    run { simulation, client in
      client.setData("A", for: query("a"))
      let observed = ObservedQuery(query("a").enabled(false), client: client)
      let screen = Screen { observed.data }
      client.shutDown()
      for _ in 1...2 {
        observed.update(query: query("a").enabled(false))
        observed.follow(query("a").enabled(false), using: client)
        expectEqual(observed.data, "A")
        simulation.settle()
      }
      expectEqual(screen.frames, ["A"])
      let moved = QueryClient(simulation: simulation)
      moved.setData("A", for: query("a"))
      observed.start(using: moved)
      expectEqual(observed.data, "A")
      moved.shutDown()
      for _ in 1...2 {
        observed.update(query: query("b").enabled(false))
        expectNil(observed.data)
      }
    }
  }

  @Test("after a shutdown, another key shows nothing of the former one")
  func afterAShutdownAnotherKeyShowsNothingOfTheFormer() {
    run { simulation, client in
      client.setData("A", for: query("a"))
      let observed = ObservedQuery(query("a").enabled(false), client: client)
      let list = ObservedQueries([AnyQuery(query("a").enabled(false))], client: client)
      client.shutDown()
      simulation.settle()
      observed.update(query: query("a").enabled(false))
      list.update([AnyQuery(query("a").enabled(false))])
      expect(observed.data == "A" && list[query("a")]?.data == "A")
      observed.update(query: query("b").enabled(false))
      list.update([AnyQuery(query("b").enabled(false))])
      expectNil(observed.data)
      expect(list[query("b")] != nil && list[query("a")] == nil)
    }
  }
}
