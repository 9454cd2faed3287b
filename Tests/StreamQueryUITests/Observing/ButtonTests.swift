import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

/// Commands that do not wait.
@MainActor
struct ButtonTests: ObservedSuite {
  @Test("a button does not keep what is released")
  func aButtonDoesNotKeepWhatIsReleased() {
    let commands: [@MainActor (ObservedQuery<String>) -> Void] = [
      { $0.refetch() }, { $0.invalidate() }, { $0.reset() },
    ]
    for command in commands {
      run { simulation, client in
        let fetch = ScriptedFetch<String>(.value("A"), .never)
        weak var released: ObservedQuery<String>?
        do {
          let observed = ObservedQuery(query("a", fetch), client: client)
          released = observed
          simulation.settle()
          command(observed)
          simulation.settle()
          expect(observed.isFetching)
          withExtendedLifetime(observed) {}
        }
        expectNil(released)
        simulation.advance(by: .seconds(2))
        expect(client.diagnostics().map(\.observerCount) == [0] && fetch.runningCount == 0)
      }
    }
  }

  @Test("a reset takes effect before the call returns, so what is written afterwards stays")
  func aWriteAfterAReset() {
    run { simulation, client in
      let observed = ObservedQuery(query("a", ScriptedFetch(.never)), client: client)
      client.setData("old", for: query("a"))
      observed.reset()
      expect(observed.data == nil && observed.isLoading)
      client.setData("new", for: query("a"))
      simulation.settle()
      expectEqual(observed.data, "new")
    }
  }

  @Test("a reset of a list takes effect before the call returns, too")
  func aWriteAfterAResetOfAList() {
    run { simulation, client in
      let shown = query("a", ScriptedFetch(.never))
      let list = ObservedQueries([AnyQuery(shown)], client: client)
      client.setData("old", for: shown)
      list.reset()
      expect(list[shown]?.data == nil && list.isFetching)
      client.setData("new", for: shown)
      simulation.settle()
      expectEqual(list[shown]?.data, "new")
      withExtendedLifetime(list) {}
    }
  }

  @Test("the buttons of a list do not keep what is released")
  func theButtonsOfAListDoNotKeepIt() {
    let commands: [@MainActor (ObservedQueries) -> Void] = [
      { $0.refetch() }, { $0.invalidate() }, { $0.reset() },
    ]
    for command in commands {
      run { simulation, client in
        let fetch = ScriptedFetch<String>(.value("A"), .never)
        weak var released: ObservedQueries?
        do {
          let observed = ObservedQueries([AnyQuery(query("a", fetch))], client: client)
          released = observed
          simulation.settle()
          command(observed)
          simulation.settle()
          expect(observed.isFetching)
          withExtendedLifetime(observed) {}
        }
        expectNil(released)
        simulation.advance(by: .seconds(2))
        expect(client.diagnostics().map(\.observerCount) == [0] && fetch.runningCount == 0)
      }
    }
  }

  @Test("the buttons for pages do not keep what is released")
  func theButtonsForPagesDoNotKeepIt() {
    let commands: [@MainActor (ObservedInfiniteQuery<String, Int>) -> Void] = [
      { $0.fetchNextPage() }, { $0.fetchPreviousPage() },
    ]
    for command in commands {
      run { simulation, client in
        let fetch = ScriptedFetch<String>(.value("A"), .never)
        let feed = InfiniteQuery<String, Int>("feed", initialPageParam: 0) { _, _ in
          try await fetch()
        } nextPageParam: { _ in
          1
        } previousPageParam: { _ in
          -1
        }
        weak var released: ObservedInfiniteQuery<String, Int>?
        do {
          let observed = ObservedInfiniteQuery(feed.retry(0), client: client)
          released = observed
          simulation.settle()
          command(observed)
          expect(observed.isFetching && observed.pages == ["A"])
          simulation.settle()
          expectEqual(fetch.runningCount, 1)
          withExtendedLifetime(observed) {}
        }
        expectNil(released)
        simulation.advance(by: .seconds(2))
        expect(client.diagnostics().map(\.observerCount) == [0] && fetch.runningCount == 0)
      }
    }
  }

  @Test("offline, a button keeps nothing until the network is back")
  func offline() {
    for seed: UInt64 in 0..<10 {
      Simulation.onMainActor(seed: seed) { simulation in
        let online = ManualSignal(true)
        let client = QueryClient(simulation: simulation) {
          $0.connectivity = Connectivity { online }
        }
        simulation.settle()
        let fetch = ScriptedFetch<String>(.value("A"), .value("B"))
        do {
          let observed = ObservedQuery(query("a", fetch), client: client)
          simulation.settle()
          online.send(false)
          simulation.settle()
          observed.refetch()
          expect(observed.isPaused)
          simulation.settle()
          withExtendedLifetime(observed) {}
        }
        simulation.advance(by: .seconds(2))
        expectEqual(client.diagnostics().map(\.observerCount), [0])
        online.send(true)
        simulation.advance(by: .seconds(1))
        expectEqual(fetch.callCount, 1)
      }
    }
  }

  @Test("a list is invalidated within the call")
  func aListIsInvalidatedAtOnce() {
    run { simulation, client in
      let shown = query("a", ScriptedFetch(.value("A"), .value("A2", after: .seconds(1))))
      let list = ObservedQueries([AnyQuery(shown)], client: client)
      simulation.settle()
      list.invalidate()
      expect(list.isFetching)
      simulation.advance(by: .seconds(1))
      expect(list[shown]?.data == "A2" && !list.isFetching)
      withExtendedLifetime(list) {}
    }
  }

  @Test("a button of a list that is released or replaced at once fetches for nobody else")
  func theButtonsOfAListThatIsReleasedAtOnce() {
    let commands: [@MainActor (ObservedQueries) -> Void] = [
      { $0.refetch() }, { $0.invalidate() }, { $0.reset() },
    ]
    for command in commands {
      for isReleased in [false, true] {
        run { simulation, client in
          let fetch = ScriptedFetch<String>(.value("A"), .never)
          var list: ObservedQueries? = ObservedQueries(
            [AnyQuery(query("a", fetch))],
            client: client
          )
          simulation.settle()
          list.map(command)
          if isReleased { list = nil } else { list?.update([]) }
          simulation.advance(by: .seconds(2))
          expectEqual(fetch.runningCount, 0)
          withExtendedLifetime(list) {}
        }
      }
    }
  }

  @Test("a button of a list fetches none of the queries that the list gets after the call")
  func aButtonConcernsTheListOfTheCall() {
    run { simulation, client in
      let fetches = (0..<2).map { ScriptedFetch<String>(.value("old \($0)"), .value("new \($0)")) }
      let kept = query("kept", fetches[0])
      let added = query("added", fetches[1]).staleTime(.infinite)
      let other = ObservedQuery(added, client: client)
      let list = ObservedQueries([AnyQuery(kept)], client: client)
      simulation.settle()
      list.refetch()
      list.update([AnyQuery(kept), AnyQuery(added)])
      simulation.settle()
      expectEqual(fetches.map(\.callCount), [2, 1])
      expect(list[kept]?.data == "new 0" && list[added]?.data == "old 1")
      withExtendedLifetime((list, other)) {}
    }
  }
}
