@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

/// Events, counts and diagnostics.
struct EventTests {
  let simulation = Simulation(seed: 47)
  let key = QueryKey<Int>("n")

  @Test func clearTellsOfEachEntryInTheOrderOfTheirMaking() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .seconds(1)))
    client.setData(1, for: ["a"] as QueryKey<Int>)
    let recording = simulation.record(client.stream(Query.scripted("b", fetch)))
    client.setData(3, for: ["c"] as QueryKey<Int>)
    client.setData("4", for: ["d"] as QueryKey<String>)
    simulation.settle()
    let events = simulation.record(client.events)
    client.clear()
    client.setData(5, for: ["c"] as QueryKey<Int>)
    simulation.settle()
    expectEqual(
      events.values.map { $0.description.prefix { $0 != "]" } },
      [
        "removed (cleared) [\"a\"", "cancelled [\"b\"", "shown anew [\"b\"",
        "removed (cleared) [\"b\"", "removed (cleared) [\"c\"", "removed (cleared) [\"d\"",
        "added [\"c\"", "written [\"c\"",
      ]
    )
    let first = events.values.first?.number ?? 0
    expectEqual(events.values.map(\.number), Array(first..<first + 8))
    expectEqual(
      events.values.map(\.valueTypeName).suffix(3),
      ["Swift.String", "Swift.Int", "Swift.Int"]
    )
    recording.cancel()
    client.shutDown()
  }

  @Test("T58: events tell when the results and the options of observers change")
  func observerEvents() {
    let client = QueryClient(simulation: simulation)
    let events = simulation.record(client.events)
    simulation.settle()
    func labels(_ change: () -> Void) -> [String] {
      let count = events.values.count
      change()
      return events.values.dropFirst(count).map { event in
        String(event.description.prefix { $0 != "[" }.dropLast())
      }
    }
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).staleTime(.seconds(1))
    let observer = client.observer(of: query)
    let recording = simulation.record(observer.stream)
    let other = simulation.record(client.stream(query))
    expectEqual(
      labels { simulation.settle() },
      [
        "added", "observed (1)", "miss", "fetching", "shown anew", "observed (2)", "joined",
      ]
    )
    expectEqual(labels { simulation.advance(by: .milliseconds(10)) }, ["fetched", "shown anew"])
    let write = labels {
      client.setData(2, for: key)
      simulation.settle()
    }
    expectEqual(write, ["written", "shown anew"])
    let update = labels {
      observer.update(options: ObserverOptions(refetchInterval: .minutes(1)))
      observer.update(query: query)
      simulation.settle()
    }
    expectEqual(update, ["observed otherwise"])
    expectEqual(labels { simulation.advance(by: .seconds(1)) }, ["shown anew"])
    expectEqual(recording.values.last?.isStale, true)
    expectEqual(other.values.last?.isStale, true)
    client.shutDown()
  }

  @Test("T58: an observer that is about to leave asks for nothing else")
  func lingeringIsNoOtherOption() {
    let client = QueryClient(simulation: simulation)
    let events = simulation.record(client.events)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let observer = client.observer(of: Query.scripted("n", fetch))
    let recording = simulation.record(observer.stream)
    simulation.settle()
    let count = events.values.count
    observer.linger(.seconds(1))
    simulation.settle()
    #expect(count > 0 && events.values.dropFirst(count).map(\.description) == [])
    recording.cancel()
    client.shutDown()
  }

  @Test func severalReceiversGetEachEventWhicheverWasSetLast() throws {
    let told = Notes<String>()
    let client = QueryClient(simulation: simulation) { configuration in
      configuration.onEvent = { _ in told.add("former") }
      for name in ["log", "metrics"] {
        configuration.eventReceivers.append(
          EventReceiver { event in told.add("\(name): \(event)") }
        )
      }
      configuration.onEvent = { event in told.add("own: \(event)") }
    }
    client.setData(1, for: key)
    let names = ["own", "log", "metrics"]
    expectEqual(
      told.all,
      ["added", "written"].flatMap { step in names.map { "\($0): \(step) [\"n\"]" } }
    )
    client.shutDown()
  }

  @Test func receiversAloneAreEnough() {
    let told = Notes<String>()
    let client = QueryClient(simulation: simulation) { configuration in
      configuration.eventReceivers = [EventReceiver { event in told.add("\(event)") }]
    }
    let events = simulation.record(client.events)
    simulation.settle()
    events.cancel()
    simulation.settle()
    client.setData(1, for: key)
    expectEqual(told.all, ["added [\"n\"]", "written [\"n\"]"])
  }

  /// Nobody holds it, and its fetch waits for its next attempt.
  @Test func aClientThatIsFreedTellsWhatEndsWithIt() {
    let told = Notes<String>()
    let events: ResultRecording<QueryEvent>
    do {
      let client = QueryClient(simulation: simulation) { configuration in
        configuration.onEvent = { event in told.add("\(event)") }
      }
      events = simulation.record(client.events)
      simulation.settle()
      let query = Query("n", fetch: ScriptedFetch<Int>(.failure(Boom())))
        .retry(1) { _ in .minutes(1) }
      client.setData(1, for: query)
      simulation.run { _ = try? await client.ensure(query, revalidating: true) }
      simulation.advance(by: .seconds(1))
    }
    simulation.settle()
    expectEqual(
      told.all.suffix(3),
      [
        #"failed 1 times (boom 0), again after 60.0 seconds: ["n"] for manual in 0.0 seconds"#,
        #"cancelled ["n"] for manual in 1.0 seconds"#, #"removed (cleared) ["n"]"#,
      ]
    )
    expect(events.isFinished)
  }

  // T58 T59
  @Test func eventsTellTheWholeStoryInOrderWithCausesAndDurations() {
    let client = QueryClient(simulation: simulation)
    let events = simulation.record(client.events)
    let fetch = ScriptedFetch<Int>(
      .failure(Boom(), after: .milliseconds(10)),
      .value(1, after: .milliseconds(10))
    )
    let recording = simulation.record(
      client.stream(
        Query.scripted("n", fetch).gcTime(.seconds(5)).retry(1) { _ in .milliseconds(30) }
      )
    )
    simulation.advance(by: .seconds(1))
    client.setData(2, for: key)
    simulation.task { await client.invalidate("n") }
    simulation.advance(by: .milliseconds(5))
    client.cancel("n")
    simulation.settle()
    recording.cancel()
    simulation.advance(by: .minutes(5))
    expectEqual(
      events.values.map(\.description),
      [
        "added [\"n\"]",
        "observed (1) [\"n\"]",
        "miss [\"n\"]",
        "fetching [\"n\"] for subscribed in \(Duration.zero)",
        "shown anew [\"n\"]",
        "failed 1 times (boom 0), again after \(Duration.milliseconds(30)): [\"n\"] "
          + "for subscribed in \(Duration.milliseconds(10))",
        "shown anew [\"n\"]",
        "resumed [\"n\"] for subscribed in \(Duration.milliseconds(40))",
        "fetched [\"n\"] for subscribed in \(Duration.milliseconds(50))",
        "shown anew [\"n\"]",
        "written [\"n\"]",
        "shown anew [\"n\"]",
        "invalidated [\"n\"]",
        "fetching [\"n\"] for invalidated in \(Duration.zero)",
        "shown anew [\"n\"]",
        "cancelled [\"n\"] for invalidated in \(Duration.milliseconds(5))",
        "shown anew [\"n\"]",
        "unobserved (0) [\"n\"]",
        "removed (expired) [\"n\"]",
      ]
    )
    expectEqual(events.values.map(\.number), (1...19).map { UInt64($0) })
    expectEqual(events.elements.map(\.time).last, .milliseconds(6_005))
  }

  // T58
  @Test func pausesFailuresResetsAndRemovalsAreTold() {
    let online = ManualSignal(false)
    let told = Notes<String>()
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.onEvent = { told.add($0.description) }
    }
    simulation.settle()
    let fetch = ScriptedFetch<Int>(.failure(Boom(), after: .milliseconds(1)), .never)
    let recording = simulation.record(client.stream(Query.scripted("n", fetch).retry(.never)))
    simulation.advance(by: .seconds(1))
    online.send(true)
    simulation.advance(by: .milliseconds(1))
    simulation.task { await client.reset("n") }
    simulation.settle()
    client.remove("n")
    client.setData(1, for: key)
    client.clear()
    simulation.settle()
    withExtendedLifetime(recording) {}
    let kinds = told.all.map { String($0.prefix { $0 != "[" }).trimmingSuffix() }
    expectEqual(
      kinds,
      [
        "added", "observed (1)", "miss", "fetching", "paused", "shown anew", "resumed",
        "shown anew", "failed (boom 0)", "shown anew", "reset", "shown anew", "fetching",
        "shown anew", "cancelled", "shown anew", "removed (removed)", "written", "shown anew",
        "shown anew", "removed (cleared)",
      ]
    )
  }

  // T58
  @Test func aPauseIsToldOnceHoweverManyJoinIt() {
    let online = ManualSignal(false)
    let told = Notes<String>()
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.onEvent = { told.add(String($0.description.prefix { $0 != "[" }).trimmingSuffix()) }
    }
    simulation.settle()
    let query = Query.scripted("n", ScriptedFetch(.value(1), .failure(Boom()), .value(2)))
    let first = simulation.record(client.stream(query))
    let second = simulation.record(client.stream(query))
    for _ in 0..<3 {
      simulation.task { _ = try await client.fetch(query) }
      simulation.task { await client.refetch(.all, superseding: false) }
    }
    simulation.settle()
    online.send(true)
    simulation.settle()
    // And a retry that rests.
    simulation.task { await client.invalidate(.all) }
    simulation.settle()
    online.send(false)
    simulation.advance(by: .seconds(5))
    simulation.task { _ = try await client.fetch(query) }
    simulation.settle()
    online.send(true)
    simulation.settle()
    expectEqual(
      told.all,
      [
        "added", "observed (1)", "miss", "fetching", "paused", "shown anew", "observed (2)",
        "joined", "joined", "joined", "joined", "resumed", "shown anew", "fetched", "shown anew",
        "invalidated", "fetching", "shown anew",
        "failed 1 times (boom 0), again after 1.0 seconds:", "shown anew", "paused", "shown anew",
        "joined", "resumed", "shown anew", "fetched", "shown anew",
      ]
    )
    expect(first.values.last?.data == 2 && second.values.last?.data == 2)
  }

  // T58 K17
  @Test func eventsTellEntriesOfUnlikeValuesApart() {
    let client = QueryClient(simulation: simulation)
    let events = simulation.record(client.events)
    client.setData(1, for: QueryKey<Int>("n"))
    client.setData("1", for: QueryKey<String>("n"))
    simulation.settle()
    expectEqual(
      events.values.map(\.valueTypeName),
      [
        "Swift.Int", "Swift.Int", "Swift.String", "Swift.String",
      ]
    )
  }

  @Test func aSubscriberThatFallsBehindMissesTheOldestAndIsToldHowMany() {
    let client = QueryClient(simulation: simulation)
    let stream = client.events
    for value in 0..<2_000 { client.setData(value, for: key) }
    let recording = simulation.record(stream)
    simulation.settle()
    // 2,001 events (the entry was added as well), of which 1,024 are kept.
    expectEqual(recording.values.count, 1_025)
    guard case .eventsDropped(let count)? = recording.values.first?.kind else {
      Issue.record("the first is \(String(describing: recording.values.first))")
      return
    }
    expectEqual(count, 977)
    expectEqual(recording.values.dropFirst().map(\.number), (978...2_001).map { UInt64($0) })
    client.setData(1, for: key)
    simulation.settle()
    expectEqual(recording.values.last?.number, 2_002)
  }

  @Test func eventsBeginWithTheSubscriptionAndEachSubscriberHasItsOwn() {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: key)
    let first = simulation.record(client.events)
    client.setData(2, for: key)
    simulation.settle()
    let second = simulation.record(client.events)
    client.setData(3, for: key)
    simulation.settle()
    expectEqual([first.values.count, second.values.count], [2, 1])
    first.cancel()
    simulation.settle()
    client.setData(4, for: key)
    simulation.settle()
    expectEqual([first.values.count, second.values.count], [2, 2])
    second.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  // T52 F05
  @Test func countsFollowTheFetchesUnderAFilter() {
    let client = QueryClient(simulation: simulation)
    let all = simulation.record(client.fetchingCountStream())
    let some = simulation.record(client.fetchingCountStream("b"))
    simulation.settle()
    for (name, milliseconds) in [("a", 10), ("b", 20), ("c", 30)] {
      simulation.task {
        await client.prefetch(
          .scripted(name, ScriptedFetch(.value(1, after: .milliseconds(milliseconds))))
        )
      }
      simulation.settle()
    }
    expectEqual(client.fetchingCount(), 3)
    simulation.advance(by: .seconds(1))
    expectEqual(
      all.elements.map { "\($0.time) \($0.element)" },
      [(0, 0), (0, 1), (0, 2), (0, 3), (10, 2), (20, 1), (30, 0)].map {
        "\(Duration.milliseconds($0.0)) \($0.1)"
      }
    )
    expectEqual(some.values, [0, 1, 0])
    expectEqual(client.fetchingCount(), 0)
    all.cancel()
    some.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  // T52
  @Test func onlyWhatFetchesIsCountedAnew() {
    let client = QueryClient(simulation: simulation)
    let asked = Dial(0)
    let counts = simulation.record(
      client.fetchingCountStream(
        .where { _ in
          asked.with { $0 += 1 }
          return true
        }
      )
    )
    simulation.settle()
    simulation.task {
      await client.prefetch(.scripted("n", ScriptedFetch(.value(1, after: .milliseconds(10)))))
    }
    let recording = simulation.record(client.stream(Query<Int>(key: QueryKey("other"))))
    simulation.settle()
    let before = asked.value
    for number in 1...10 {
      client.setData(number, for: QueryKey<Int>("other"))
      simulation.settle()
    }
    expectEqual(asked.value, before)
    simulation.advance(by: .milliseconds(10))
    expectEqual(counts.values, [0, 1, 0])
    recording.cancel()
    counts.cancel()
  }

  // T52
  @Test func aPausedFetchDoesNotCount() {
    let online = ManualSignal(false)
    let client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    simulation.settle()
    let counts = simulation.record(client.fetchingCountStream())
    let recording = simulation.record(
      client.stream(.scripted("n", ScriptedFetch(.value(1, after: .milliseconds(1)))))
    )
    simulation.settle()
    expectEqual(client.fetchingCount(), 0)
    expectEqual(client.fetchingCount(.paused), 0)
    online.send(true)
    simulation.advance(by: .milliseconds(1))
    expectEqual(counts.values, [0, 1, 0])
    withExtendedLifetime(recording) {}
  }

  // C16 T57
  @Test func diagnosticsTellOfEveryEntry() throws {
    let client = QueryClient(simulation: simulation)
    enum Label: QueryMetaKey { static let defaultValue = "" }
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).meta(Label.self, "numbers"))
    )
    simulation.task { try? await client.fetch(.scripted("n", fetch)) }
    simulation.advance(by: .milliseconds(5))
    var info = try #require(client.diagnostics("n").first)
    expectEqual(info.key, AnyQueryKey("n"))
    expectEqual(info.valueTypeName, "Swift.Int")
    expectEqual([info.observerCount, info.waiterCount], [1, 1])
    expect(info.isActive && info.isStale && !info.isDisabled && !info.isStatic)
    expect(info.age == nil && info.data == nil && info.dataUpdatedAt == nil)
    expect(info.fetchStatus == .fetching && info.status == .pending)
    expectEqual(info.cause, .subscribed)
    simulation.advance(by: .milliseconds(15))
    let old = info
    info = try #require(client.diagnostics("n").first)
    #expect(info.data as? Int == 1)
    expectEqual(info.age, .milliseconds(10))
    expectEqual(info.dataUpdateCount, 1)
    // A snapshot does not change.
    expectNil(old.data)
    withExtendedLifetime(recording) {}
  }
}

extension String {
  fileprivate func trimmingSuffix() -> String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
