import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

@MainActor
struct ObservedQueryTests: ObservedSuite {
  private struct Broken: Error {}

  private func text(_ query: ObservedQuery<String>) -> String {
    "\(query.data ?? (query.isError ? "failed" : "-"))\(query.isFetching ? "…" : "")"
  }

  // MARK: The first frame

  @Test("V04: what is cached shows before anything else runs, without a spinner")
  func theFirstFrameIsCached() {
    run { simulation, client in
      client.setData("cached", for: query("a"))
      let screen = Screen { [observed = ObservedQuery(query("a"), client: client)] in text(observed)
      }
      expectEqual(screen.frames, ["cached…"])
      simulation.advance(by: .seconds(1))
      expectEqual(screen.frames, ["cached…", "fetched"])
    }
  }

  @Test("V12: initial data, placeholders and pending queries show at once")
  func theFirstFrameIsWhatANewObserverShows() {
    run { _, client in
      expectEqual(text(ObservedQuery(query("a"), client: client)), "-…")
      expectEqual(
        text(ObservedQuery(query("b").initialData("initial"), client: client)),
        "initial…"
      )
      let placeholder = ObservedQuery(query("c").placeholder("stand-in"), client: client)
      expectEqual(text(placeholder), "stand-in…")
      expect(placeholder.isPlaceholderData)
      expectEqual(text(ObservedQuery(query("d").enabled(false), client: client)), "-")
      for query in [query("e").initialData("initial"), query("f"), query("a")] {
        let first = client.result(for: query)
        let observed = ObservedQuery(query, client: client)
        expect(observed.data == first.data && observed.fetchStatus == first.fetchStatus)
      }
    }
  }

  @Test("V04: an object that was not started observes nothing and shows nothing")
  func nothingHappensBeforeTheStart() {
    run { simulation, client in
      let fetch = ScriptedFetch<String>(.value("A"))
      let observed = ObservedQuery(query("a", fetch))
      observed.update(options: ObserverOptions(staleTime: .seconds(1)))
      observed.stop()
      simulation.advance(by: .seconds(1))
      expect(text(observed) == "-" && !observed.isObserving && fetch.callCount == 0)
      observed.start(using: client)
      expect(text(observed) == "-…" && observed.isObserving)
      simulation.advance(by: .seconds(1))
      expectEqual(text(observed), "A")
    }
  }

  // MARK: Tracking

  @Test("V01: a reader of the data is not drawn again when the fetch status changes")
  func eachPropertyIsTrackedByItself() {
    run { simulation, client in
      let fetch = ScriptedFetch<String>(
        .value("A", after: .milliseconds(10)),
        .value("A", after: .milliseconds(10)),
        .value("B", after: .milliseconds(10))
      )
      let observed = ObservedQuery(query("a", fetch), client: client)
      let data = Screen { observed.data }
      let fetching = Screen { observed.isFetching }
      let success = Screen { observed.isSuccess }
      let error = Screen { observed.error == nil }
      simulation.advance(by: .seconds(1))
      for _ in 0..<2 {
        Task { await observed.refetch() }
        simulation.advance(by: .seconds(1))
      }
      expectEqual(data.frames, [nil, "A", "B"])
      expectEqual(fetching.frames, [true, false, true, false, true, false])
      expectEqual(success.frames, [false, true])
      expectEqual(error.frames, [true])
    }
  }

  @Test("T19: a phase is drawn again for data and errors only")
  func phasesAreTracked() {
    run { simulation, client in
      let fetch = ScriptedFetch<String>(.value("A"), .failure(Broken()), .value("A"))
      let observed = ObservedQuery(query("a", fetch), client: client)
      let screen = Screen {
        switch observed.phase {
        case .pending: "pending"
        case .success(let value): value
        case .failure(_, let value): "failed \(value ?? "-")"
        }
      }
      simulation.settle()
      for _ in 0..<2 {
        Task { await observed.refetch() }
        simulation.advance(by: .seconds(1))
      }
      expectEqual(screen.frames, ["pending", "A", "failed A", "A"])
    }
  }

  // MARK: Delivery

  @Test("a burst of a thousand writes is one frame, the last")
  func aBurstIsOneFrame() {
    run { simulation, client in
      let observed = ObservedQuery(Query<Int>(key: "count"), client: client)
      let screen = Screen { observed.data }
      for number in 1...1_000 { client.setData(number, for: observed.query) }
      expectNil(observed.data)
      simulation.settle()
      expectEqual(screen.frames, [nil, 1_000])
    }
  }

  @Test("a thousand objects that see a write take no more jobs than one")
  func aThousandObjectsChangeTogether() {
    run { simulation, client in
      let query = Query<Int>(key: "count")
      func jobs(toWrite number: Int) -> Int {
        simulation.settle()
        let before = simulation.jobCount
        client.setData(number, for: query)
        simulation.settle()
        return simulation.jobCount - before
      }
      var observed = [ObservedQuery(query, client: client)]
      let one = jobs(toWrite: 6)
      observed += (1..<1_000).map { _ in ObservedQuery(query, client: client) }
      expectEqual(jobs(toWrite: 7), one)
      #expect(observed.allSatisfy { $0.data == 7 })
    }
  }

  @Test("a call that changes two keys shows as one change")
  func turnsAreWhole() {
    run { simulation, client in
      let (a, b) = (Query<Int>(key: "a"), Query<Int>(key: "b"))
      let (first, second) = (
        ObservedQuery(a, client: client), ObservedQuery(b, client: client)
      )
      for query in [a, b] { client.setData(1, for: query) }
      simulation.settle()
      let screen = Screen { [first.data, second.data] }
      client.updateData(matching: .all, of: Int.self) { _, value in value = 2 }
      simulation.settle()
      expectEqual(screen.frames, [[1, 1], [2, 2]])
    }
  }

  // MARK: Changes of the query

  @Test("V03: a key that changes while fetching shows what is cached of it, and no flash")
  func anotherKeyShowsItsCache() {
    run { simulation, client in
      client.setData("B", for: query("b"))
      let observed = ObservedQuery(query("a"), client: client)
      let screen = Screen { text(observed) }
      observed.update(query: query("b").staleTime(.seconds(60)))
      expectEqual(text(observed), "B")
      simulation.advance(by: .seconds(5))
      expectEqual(screen.frames, ["-…", "B"])
      // Nobody wants the first one any more.
      expectNil(client.result(for: query("a")).data)
    }
  }

  @Test("the former key's data is kept until the next one is there, if asked for")
  func previousDataIsKept() {
    run { simulation, client in
      let fetch = ScriptedFetch<String>(.value("B", after: .milliseconds(20)))
      let observed = ObservedQuery(query("a"), client: client, keepsPreviousData: true)
      simulation.advance(by: .seconds(1))
      let screen = Screen { "\(text(observed)) \(observed.isPlaceholderData)" }
      observed.update(query: query("b", fetch))
      simulation.advance(by: .seconds(1))
      expectEqual(screen.frames, ["fetched false", "fetched… true", "B false"])
    }
  }

  @Test("a parent that draws a hundred times makes no new subscription and no fetch")
  func updatesWithTheSameQueryDoNothing() {
    run { simulation, client in
      let fetch = ScriptedFetch<String>(.value("A"))
      let observed = ObservedQuery(query("a", fetch), client: client)
      simulation.settle()
      for _ in 0..<100 { observed.follow(query("a", fetch), using: client) }
      simulation.settle()
      expectEqual(fetch.callCount, 1)
      expectEqual(client.diagnostics().map(\.observerCount), [1])
    }
  }

  @Test("another client takes the place of the first")
  func clientsAreSwapped() {
    Simulation.onMainActor { simulation in
      let clients = [QueryClient(simulation: simulation), QueryClient(simulation: simulation)]
      let query = Query<String>(key: "a")
      for (index, client) in clients.enumerated() { client.setData("\(index)", for: query) }
      let observed = ObservedQuery(query, client: clients[0])
      let screen = Screen { observed.data }
      observed.start(using: clients[1])
      expectEqual(observed.data, "1")
      clients[0].setData("late", for: query)
      simulation.settle()
      expectEqual(screen.frames, ["0", "1"])
      expectEqual(clients.map { $0.diagnostics()[0].observerCount }, [0, 1])
    }
  }

  // MARK: The end

  @Test("what is released stops, and leaves nothing behind")
  func releasedMeansStopped() {
    run { simulation, client in
      weak var released: ObservedQuery<String>?
      do {
        let observed = ObservedQuery(query("a").refetchInterval(.seconds(1)), client: client)
        released = observed
        simulation.advance(by: .seconds(3))
        expectEqual(client.diagnostics().map(\.observerCount), [1])
      }
      expectNil(released)
      expectEqual(client.diagnostics().map(\.observerCount), [0])
      simulation.advance(by: .seconds(2))
      expect(simulation.isIdle)
    }
  }

  @Test("a client that nobody else holds goes with the last object that observes it")
  func clientsAreReleased() {
    Simulation.onMainActor { simulation in
      weak var released: QueryClient?
      do {
        let client = QueryClient(simulation: simulation)
        released = client
        let observed = ObservedQuery(Query<String>(key: "a"), client: client)
        simulation.settle()
        _ = observed.data
      }
      simulation.settle()
      expectNil(released)
    }
  }

  @Test("V06: gone for less than a second keeps the running request, gone for longer cancels it")
  func aShortAbsenceKeepsTheRequest() {
    run { simulation, client in
      for (absence, calls) in [(Duration.milliseconds(900), 1), (.milliseconds(1_100), 2)] {
        let fetch = ScriptedFetch<String>(.value("A", after: .seconds(5)))
        let observed = ObservedQuery(query("\(absence)", fetch), client: client)
        simulation.advance(by: .seconds(1))
        observed.stop()
        expect(!observed.isObserving && text(observed) == "-…")
        simulation.advance(by: absence)
        observed.start(using: client)
        simulation.advance(by: .seconds(5))
        expectEqual(text(observed), "A")
        expectEqual(fetch.callCount, calls)
      }
    }
  }

  @Test("data that nobody had read when the key changed is kept, too")
  func unreadDataIsKept() {
    run { simulation, client in
      let observed = ObservedQuery(query("a"), client: client, keepsPreviousData: true)
      simulation.advance(by: .seconds(1))
      observed.update(query: query("b"))
      expect(observed.data == "fetched" && observed.isPlaceholderData)
    }
  }

  @Test("a released object's fetch lives as long, and as the query's own policy says")
  func abandonmentIsTheQuerys() {
    run { simulation, client in
      let fetch = ScriptedFetch<String>(.value("A", after: .seconds(5)))
      do { _ = ObservedQuery(query("a", fetch), client: client) }
      simulation.advance(by: .milliseconds(900))
      expectEqual(fetch.runningCount, 1)
      simulation.advance(by: .milliseconds(200))
      expectEqual(fetch.calls.map(\.outcome), [.cancelled])
      let finished = ScriptedFetch<String>(.value("B", after: .seconds(5)))
      do { _ = ObservedQuery(query("b", finished).onAbandonment(.finish), client: client) }
      simulation.advance(by: .seconds(5))
      expectEqual(client.data(for: query("b")), "B")
      let linger = ObserverOptions(linger: .seconds(3))
      let longer = ScriptedFetch<String>(.never)
      do { _ = ObservedQuery(query("c", longer), client: client, options: linger) }
      simulation.advance(by: .seconds(2))
      expectEqual(longer.runningCount, 1)
      simulation.advance(by: .seconds(2))
      expectEqual(longer.runningCount, 0)
    }
  }

  @Test("a client that is shut down leaves the last state, and commands do nothing")
  func aShutDownClientLeavesTheLastState() {
    run { simulation, client in
      let observed = ObservedQuery(query("a"), client: client)
      simulation.advance(by: .seconds(1))
      client.shutDown()
      Task { await observed.refetch() }
      simulation.advance(by: .seconds(1))
      expectEqual(observed.data, "fetched")
      observed.stop()
      observed.start(using: client)
      simulation.settle()
      expect(!observed.isFetching)
    }
  }

  // MARK: Views

  @Test("V09: a view that observes from its appearance shows the cache in its first frame")
  func viewsShowTheCacheBeforeTheyObserve() {
    run { simulation, client in
      let fetch = ScriptedFetch<String>(.value("new"))
      client.setData("cached", for: query("a", fetch))
      let observed = ObservedQuery(query("a", fetch))
      observed.drawn(observed.query, using: client, observing: .onAppear)
      simulation.settle()
      expect(text(observed) == "cached…" && fetch.callCount == 0)
      observed.appeared(using: client)
      simulation.settle()
      expectEqual(text(observed), "new")
      observed.disappeared()
      client.setData("unseen", for: observed.query)
      observed.drawn(observed.query, using: client, observing: .onAppear)
      expect(text(observed) == "new" && !observed.isObserving)
    }
  }

  @Test("a hidden view observes only if it always does")
  func hiddenViews() {
    run { simulation, client in
      for (period, isObserving) in [(ObservationPeriod.always, true), (.onRender, false)] {
        let observed = ObservedQuery(query("a"))
        observed.drawn(observed.query, using: client, observing: period)
        expect(observed.isObserving)
        observed.appeared(using: client)
        observed.disappeared()
        observed.drawn(observed.query, using: client, observing: period)
        expectEqual(observed.isObserving, isObserving)
      }
    }
  }

  @Test("O04: an appearing view refetches by a condition")
  func appearancesMayBeConditional() {
    run { simulation, client in
      let fetch = ScriptedFetch<String>(.value("new"))
      client.setData("old", for: query("a", fetch))
      let shown = [false, true].map { isSearching in
        let observed = ObservedQuery(
          query("a", fetch).refetchOnAppear(.when { isSearching }),
          client: client
        )
        simulation.settle()
        return text(observed)
      }
      expectEqual(shown, ["old", "new"])
      expectEqual(
        ObservedQuery(query("a").refetchOnAppear(.never), client: client).isFetching,
        false
      )
    }
  }

  // MARK: Commands

  @Test("Q13: refetch waits and shows, invalidate and reset fetch what is observed")
  func commands() {
    run { simulation, client in
      let fetch = ScriptedFetch<String>(
        .value("1"),
        .value("2", after: .milliseconds(10)),
        .value("3"),
        .value("4"),
        .failure(Broken())
      )
      let observed = ObservedQuery(query("a", fetch).staleTime(.seconds(60)), client: client)
      simulation.settle()
      var lines: [String] = []
      Task {
        lines.append(await observed.refetch().data ?? "")
        await observed.invalidate()
        lines.append(text(observed))
        await observed.reset()
        lines.append(text(observed))
        lines.append("\(await observed.refetch().isError)")
        do {
          try await observed.refetch(throwOnError: true)
        } catch {
          lines.append("\(error)")
        }
      }
      simulation.advance(by: .seconds(1))
      expectEqual(lines, ["2", "3", "4", "true", "Broken()"])
      expect(observed.isRefetchError && observed.data == "4")
    }
  }

  @Test("a refetch whose caller is cancelled goes on, and is no error")
  func aCancelledCallerIsNoError() {
    run { simulation, client in
      let observed = ObservedQuery(query("a"), client: client)
      simulation.advance(by: .seconds(1))
      let task = Task { await observed.refetch().error == nil }
      simulation.settle()
      task.cancel()
      simulation.settle()
      expect(observed.isFetching)
      simulation.advance(by: .seconds(1))
      expectEqual(text(observed), "fetched")
    }
  }

  // MARK: Selections

  @Test("V05: a selection is made once per data, and told if it is another")
  func selections() {
    run { simulation, client in
      let users = Query<[String]>(key: "users")
      client.setData(["Ada"], for: users)
      let count = ObservedSelection(users, client: client) { $0.count }
      let screen = Screen { count.data }
      for data in [["Grace"], ["Ada", "Grace"]] {
        client.setData(data, for: users)
        simulation.settle()
      }
      expectEqual(screen.frames, [1, 2])
    }
  }

  @Test("V04: a button refetches without waiting")
  func aButtonNeedNotWait() {
    run { simulation, client in
      let pause = Duration.milliseconds(5)
      let fetch = ScriptedFetch<String>(.value("one", after: pause), .value("two", after: pause))
      let observed = ObservedQuery(query("a", fetch), client: client)
      simulation.advance(by: .seconds(1))
      let screen = Screen { text(observed) }
      observed.refetch()
      expectEqual(screen.frames, ["one"])
      simulation.advance(by: .seconds(1))
      expectEqual(screen.frames, ["one", "one…", "two"])
    }
  }

  @Test("T94: a first value that is there costs no request")
  func aFirstValueThatIsThereCostsNoRequest() {
    run { simulation, client in
      let fetch = ScriptedFetch<String>(.value("A"), .value("B"))
      let observed = ObservedQuery(query("a", fetch), client: client)
      simulation.settle()
      var value: String?
      Task { value = try? await observed.firstValue() }
      simulation.settle()
      expect(value == "A" && fetch.callCount == 1)
      withExtendedLifetime(observed) {}
    }
  }

  @Test("a first value is what the client has by then, although it has not been brought yet")
  func aFirstValueIsTheNewest() {
    run { simulation, client in
      let shown = query("a", ScriptedFetch<String>(.value("A"), .value("fetched")))
      let observed = ObservedQuery(shown, client: client)
      let counts = ObservedSelection(shown, client: client) { $0.count }
      simulation.settle()
      expect(observed.data == "A" && counts.data == 1)
      client.setData("BB", for: shown)
      var (value, count): (String?, Int?)
      Task { value = try? await observed.firstValue() }
      Task { count = try? await counts.firstValue() }
      simulation.settle()
      expect(value == "BB" && count == 2)
      withExtendedLifetime((observed, counts)) {}
    }
  }

  @Test("a first value is nothing that was removed, nor data of a client that is shut down")
  func aFirstValueIsNothingThatIsGone() {
    run { simulation, client in
      let shown = query("a", ScriptedFetch<String>(.value("A"), .value("fetched")))
      let observed = ObservedQuery(shown, client: client)
      simulation.settle()
      client.remove(shown)
      var value: String?
      Task { value = try? await observed.firstValue() }
      simulation.settle()
      expectEqual(value, "fetched")
      client.shutDown()
      var failure: (any Error)?
      for _ in 1...2 {
        failure = nil
        Task {
          do { _ = try await observed.firstValue() } catch { failure = error }
        }
        simulation.settle()
        #expect(failure is CancellationError && observed.data == "fetched")
      }
      withExtendedLifetime(observed) {}
    }
  }
}
