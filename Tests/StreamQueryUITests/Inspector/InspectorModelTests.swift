import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

@MainActor
struct InspectorModelTests {
  /// Runs a test in ten orders of what happens at once, with a client that keeps a record.
  private func run(_ body: @MainActor (Simulation, QueryClient, InspectorModel) -> Void) {
    for seed: UInt64 in 0..<10 {
      Simulation.onMainActor(seed: seed) { simulation in
        let client = QueryClient(simulation: simulation) { $0.record = .last(1_000) }
        let model = InspectorModel()
        body(simulation, client, model)
        model.stop()
      }
    }
  }

  private func query(_ name: String, _ fetch: ScriptedFetch<String>) -> Query<String> {
    Query(key: QueryKey(name), fetch: fetch).retry(0)
  }

  @Test("it shows the keys of the client, and what changes, while it is followed")
  func following() {
    run { simulation, client, model in
      client.setData("old", for: QueryKey<String>("a"))
      model.start(using: client)
      expect(model.screen.isEmpty && model.isRecording)
      simulation.settle()
      expectEqual(model.titles, ["[\"a\"]"])
      client.setData("new", for: QueryKey<String>("b"))
      simulation.advance(by: InspectorModel.pause)
      expectEqual(model.titles, ["[\"a\"]", "[\"b\"]"])
      model.stop()
      client.setData("late", for: QueryKey<String>("c"))
      simulation.settle()
      expectEqual(model.titles, ["[\"a\"]", "[\"b\"]"])
      // The screen and what is selected stay, and the record goes on.
      model.path = [1]
      model.start(using: client)
      simulation.settle()
      expect(model.titles == ["[\"a\"]", "[\"b\"]", "[\"c\"]"] && model.path == [1])
    }
  }

  @Test("time runs on without events: data grows older and freshness runs down")
  func ticking() {
    run { simulation, client, model in
      let fetched = query("a", ScriptedFetch(.value("A", after: .milliseconds(10)))).staleTime(
        .seconds(10)
      )
      let stream = client.stream(fetched)
      model.start(using: client)
      simulation.advance(by: .seconds(4))
      let fresh = model.row(of: 1)?.freshness ?? 0
      #expect(fresh > 0.5 && fresh < 0.8)
      simulation.advance(by: .seconds(10))
      expectEqual(model.row(of: 1)?.freshness, 0)
      withExtendedLifetime(stream) {}
    }
  }

  @Test("news comes at most twenty times a second, and all of it")
  func pacing() {
    run { simulation, client, model in
      model.start(using: client)
      simulation.settle()
      var (arrivals, newest): ([Int], Int) = ([], 0)
      for millisecond in 0..<1_000 {
        client.setData("\(millisecond)", for: QueryKey<String>("a"))
        client.setData("\(millisecond)", for: QueryKey<String>("b", millisecond % 7))
        simulation.advance(by: .milliseconds(1))
        let number = model.screen.replay.events.last?.event.number ?? 0
        if number != newest { arrivals.append(millisecond + 1) }
        newest = number
      }
      expectEqual(arrivals, Array(stride(from: 50, through: 1_000, by: 50)))
      simulation.advance(by: .milliseconds(50))
      let numbers = model.screen.replay.events.map(\.event.number)
      expectEqual(numbers, Array(1...(client.record.events.last?.number ?? 1)))
      expectEqual(model.row(of: 1)?.state.dataUpdateCount, 1_000)
      // After a pause, news comes at once.
      simulation.advance(by: .milliseconds(50))
      client.setData("late", for: QueryKey<String>("a"))
      simulation.settle()
      expectEqual(model.row(of: 1)?.state.dataUpdateCount, 1_001)
    }
  }

  @Test("another client has another record; the filter stays")
  func otherClient() {
    run { simulation, client, model in
      let other = QueryClient(simulation: simulation) { $0.record = .last(1_000) }
      client.setData("1", for: QueryKey<String>("a"))
      other.setData("2", for: QueryKey<String>("b"))
      model.start(using: client)
      simulation.settle()
      model.listing.text = "b"
      (model.path, model.progress) = ([1], 0)
      expectEqual(model.titles, [])
      model.start(using: other)
      expect(model.path == [] && model.screen.isFollowing)
      simulation.settle()
      expectEqual(model.titles, ["[\"b\"]"])
    }
  }

  @Test("a client without a record has nothing to show, and its end is no mistake")
  func off() {
    run { simulation, _, model in
      var client: QueryClient? = QueryClient(simulation: simulation)
      client?.setData("1", for: QueryKey<String>("a"))
      if let client { model.start(using: client) }
      simulation.advance(by: .seconds(3))
      expect(model.screen.isEmpty && model.runs.isEmpty && !model.canCommand(1))
      expect(!model.isRecording && !model.isEnded)
      client?.shutDown()
      simulation.advance(by: .seconds(3))
      expect(model.isEnded)
      model.stop()
      client = nil
    }
  }

  @Test("commands do to one entry what the client's calls do")
  func commands() {
    run { simulation, client, model in
      let fetch = ScriptedFetch((1...5).map { .value("\($0)", after: .milliseconds(10)) })
      let fetched = query("a", fetch).staleTime(.infinite)
      let stream = client.stream(fetched)
      // The same key with another type is another entry.
      client.setData(1, for: QueryKey<Int>("a"))
      model.start(using: client)
      simulation.advance(by: .milliseconds(60))
      expectEqual(fetch.callCount, 1)
      let key = model.number(of: "String")
      model.give(.invalidate, for: key)
      simulation.advance(by: .milliseconds(60))
      expectEqual(fetch.callCount, 2)
      expectEqual(model.detail(of: key)?.why?.hasPrefix("It was invalidated"), true)
      model.give(.refetch, for: key)
      simulation.advance(by: .milliseconds(60))
      expect(fetch.callCount == 3 && client.data(for: fetched) == "3")
      expectEqual(model.detail(of: key)?.why, "refetch(.key([\"a\"])) asked for it.")
      model.give(.reset, for: key)
      simulation.advance(by: .milliseconds(60))
      expect(fetch.callCount == 4 && client.data(for: fetched) == "4")
      model.give(.remove, for: key)
      simulation.advance(by: .milliseconds(60))
      expectNil(client.data(for: fetched))
      expectEqual(client.data(for: QueryKey<Int>("a")), 1)
      withExtendedLifetime(stream) {}
    }
  }

  @Test(
    "a command concerns one entry, also if another one has its key and a type of its name"
  )
  func sameTypeName() {
    run { simulation, client, model in
      client.setData(One.User(), for: QueryKey<One.User>("user"))
      client.setData(Other.User(), for: QueryKey<Other.User>("user"))
      model.start(using: client)
      simulation.settle()
      expectEqual(model.screen.list.numbers, [1, 2])
      expectEqual(
        model.screen.list.numbers.map { model.row(of: $0)?.key.valueType },
        ["User", "User"]
      )
      model.give(.invalidate, for: 2)
      simulation.advance(by: .milliseconds(60))
      expectEqual([1, 2].map { model.row(of: $0)?.state.isInvalidated }, [false, true])
      model.give(.remove, for: 1)
      simulation.advance(by: .milliseconds(60))
      expectNil(client.data(for: QueryKey<One.User>("user")))
      expect(client.data(for: QueryKey<Other.User>("user")) != nil)
      expectEqual(model.screen.list.numbers, [2])
    }
  }

  @Test("a command that fails, or that has no effect, says so")
  func failures() {
    run { simulation, client, model in
      let fetch = ScriptedFetch<String>(
        .value("1", after: .milliseconds(10)),
        .failure(Failure(), after: .milliseconds(10)),
        .value("2", after: .milliseconds(10))
      )
      let fixed = ScriptedFetch(.value("fixed"))
      let streams = [
        client.stream(query("a", fetch)), client.stream(query("b", fixed).staleTime(.static)),
        client.stream(query("c", fixed).enabled(false)),
      ]
      model.start(using: client)
      simulation.advance(by: .milliseconds(60))
      expectNil(model.detail(of: 1)?.error)
      model.give(.refetch, for: 1)
      simulation.advance(by: .milliseconds(60))
      expect(model.detail(of: 1)?.error == "out of paper" && model.refusalText(for: 1) == nil)
      // A moment before, it had not failed.
      model.stepBack()
      expectNil(model.detail(of: 1)?.error)
      model.follow()
      model.give(.reset, for: 1)
      simulation.advance(by: .milliseconds(60))
      expect(model.detail(of: 1)?.error == nil && client.data(for: QueryKey<String>("a")) == "2")

      model.give(.refetch, for: 2)
      expectEqual(model.refusalText(for: 2), "Static data is not refetched.")
      expectNil(model.refusalText(for: 1))
      model.give(.refetch, for: 3)
      expectEqual(
        model.refusalText(for: 3)?.hasPrefix("It is not refetched: its observers are disabled"),
        true
      )
      expect(model.refusalText(for: 2) == nil && fixed.callCount == 1)

      // It went, and the news of it has not come yet.
      client.setData("d", for: QueryKey<String>("d"))
      simulation.advance(by: .milliseconds(60))
      client.remove(QueryKey<String>("d"))
      model.give(.invalidate, for: 4)
      expectEqual(model.refusalText(for: 4), "There is no entry of this key any more.")
      withExtendedLifetime(streams) {}
    }
  }

  @Test("a refetch that could only fail is refused, and leaves the entry as it is")
  func written() {
    run { simulation, client, model in
      client.setData("old", for: QueryKey<String>("a"))
      model.start(using: client)
      simulation.settle()
      model.give(.refetch, for: 1)
      expectEqual(
        model.refusalText(for: 1),
        "It is not refetched: no query of it has a fetch closure."
      )
      simulation.advance(by: .minutes(1))
      expectEqual(model.row(of: 1)?.state.status, .success)
      expectEqual(model.row(of: 1)?.state.isInvalidated, false)
      expectNil(model.detail(of: 1)?.error)
    }
  }

  @Test("a command that waits keeps neither the model nor the client", arguments: [true, false])
  func released(_ stops: Bool) {
    for seed: UInt64 in 0..<10 {
      Simulation.onMainActor(seed: seed) { simulation in
        weak var formerClient: QueryClient?
        weak var formerModel: InspectorModel?
        do {
          let client = QueryClient(simulation: simulation) { $0.record = .last(100) }
          let model = InspectorModel()
          (formerClient, formerModel) = (client, model)
          let fetch = ScriptedFetch<String>(.value("1"), .suspended())
          let stream = client.stream(query("a", fetch))
          model.start(using: client)
          simulation.settle()
          model.give(.refetch, for: 1)
          simulation.settle()
          expectEqual(fetch.callCount, 2)
          if stops { model.stop() }
          withExtendedLifetime(stream) {}
        }
        simulation.settle()
        expect(formerModel == nil && formerClient == nil)
      }
    }
  }

  @Test("commands concern the present only")
  func earlier() {
    run { simulation, client, model in
      client.setData("1", for: QueryKey<String>("a"))
      model.start(using: client)
      simulation.settle()
      expect(model.canCommand(1))
      model.stepBack()
      model.stepForward()
      expect(!model.canCommand(1) && model.row(of: 1) != nil)
      model.give(.remove, for: 1)
      expectEqual(client.data(for: QueryKey<String>("a")), "1")
      model.follow()
      expect(model.canCommand(1) && !model.canCommand(99))
    }
  }

  @Test("a selected time that the record has lost is told, and not shown as if nothing had been")
  func lostTime() {
    run { simulation, client, model in
      client.setData("1", for: QueryKey<String>("a"))
      model.start(using: client)
      simulation.advance(by: .seconds(1))
      client.setData("1", for: QueryKey<String>("b"))
      simulation.advance(by: .milliseconds(60))
      model.stepBack()
      expect(model.titles == ["[\"a\"]"] && model.lossText == nil)
      for number in 0..<1_100 { client.setData("\(number)", for: QueryKey<String>("b")) }
      simulation.advance(by: .milliseconds(60))
      expectEqual(
        model.lossText?.hasPrefix("The record does not go back to the selected time"),
        true
      )
      expectEqual(model.titles, ["[\"a\"]", "[\"b\"]"])
      model.follow()
      expectNil(model.lossText)
    }
  }

  @Test("the end of the client is shown, with all that happened until then, and ends commands")
  func end() {
    run { simulation, client, model in
      client.setData("1", for: QueryKey<String>("a"))
      model.start(using: client)
      simulation.settle()
      expect(model.momentText == "Now" && model.canCommand(1) && !model.isEnded)
      client.setData("2", for: QueryKey<String>("a"))
      simulation.advance(by: .milliseconds(10))
      client.shutDown()
      simulation.advance(by: .seconds(3))
      expect(model.isEnded && model.momentText == "The end: the client was shut down")
      let record = client.record
      expectEqual(model.screen.replay.events.map(\.event.number), record.events.map(\.number))
      // Its time ends too.
      expect(model.screen.now == .milliseconds(50) && model.titles == [])
      model.stepBack()
      expect(model.titles == ["[\"a\"]"] && model.momentText.hasSuffix(" before the end"))
      expect(!model.canCommand(1))
      // Shown again, it is still over.
      model.stop()
      model.start(using: client)
      simulation.settle()
      expect(model.isEnded && model.titles == ["[\"a\"]"])
      // Another client is not.
      let other = QueryClient(simulation: simulation) { $0.record = .last(10) }
      model.start(using: other)
      simulation.settle()
      expect(!model.isEnded && model.momentText == "Now")
    }
  }

  @Test("a client that ended before is shown as it was")
  func endedBefore() {
    run { simulation, client, model in
      client.setData("1", for: QueryKey<String>("a"))
      simulation.advance(by: .milliseconds(10))
      client.shutDown()
      model.start(using: client)
      simulation.advance(by: .seconds(3))
      expect(model.isEnded && !model.screen.isEmpty && model.titles == [])
      model.stepBack()
      expectEqual(model.titles, ["[\"a\"]"])
    }
  }

  @Test("a key's detail answers why and who, and has options and history")
  func detail() {
    run { simulation, client, model in
      let fetched = query("a", ScriptedFetch(.value("A", after: .milliseconds(10)))).staleTime(
        .seconds(30)
      )
      model.start(using: client)
      let stream = client.stream(fetched)
      simulation.advance(by: .seconds(2))
      let detail = model.detail(of: 1)
      expect(detail?.title == "[\"a\"]" && detail?.valueType == "String")
      expectEqual(detail?.why, "A stream subscribed, and there was no data.")
      expectEqual(detail?.who.hasPrefix("1 observer observes it. It has been observed for"), true)
      expectEqual(detail?.options.first, KeyDetail.Option(name: "staleTime", value: "30 s"))
      expectEqual(detail?.lines.map(\.text).contains("Fetch 1 succeeded"), true)
      expectEqual(
        detail?.lines.compactMap(\.reason),
        ["A stream subscribed, and there was no data."]
      )
      expectNil(model.detail(of: 99))
      withExtendedLifetime(stream) {}
    }
  }

  @Test("the reason for a fetch is what happened")
  func reasons() {
    for seed: UInt64 in 0..<10 {
      Simulation.onMainActor(seed: seed) { simulation in
        let (online, active, ticks) = (ManualSignal(true), ManualSignal(true), ManualSignal(0))
        let client = QueryClient(simulation: simulation) {
          $0.record = .last(1_000)
          $0.connectivity = Connectivity { online }
          $0.activity = AppActivity { active }
        }
        let model = InspectorModel()
        model.start(using: client)
        let script = ScriptedFetch((1...9).map { .value("\($0)", after: .milliseconds(10)) })
        let fetched = query("a", script).staleTime(.seconds(5)).refetch(on: ticks)
        let stream = client.stream(fetched)
        var reasons: [String?] = []
        @MainActor func note() {
          simulation.advance(by: .seconds(1))
          reasons.append(model.detail(of: 1)?.why)
        }
        note()
        client.markInvalidated(.prefix("a"))
        note()
        online.send(false)
        simulation.advance(by: .seconds(12))
        online.send(true)
        note()
        active.send(false)
        simulation.advance(by: .minutes(2))
        active.send(true)
        note()
        ticks.send(1)
        note()
        let refetch = Task { await client.refetch(.all) }
        note()
        let reset = Task { await client.reset(.prefix("a")) }
        note()
        let fetch = Task { _ = try? await client.fetch(fetched.staleTime(.zero)) }
        note()
        expectEqual(
          reasons,
          [
            "A stream subscribed, and there was no data.",
            "It was invalidated, by invalidate(.prefix([\"a\"])).",
            "The network came back after 12 s offline, and the data had been stale for 7.9 s.",
            "The app became active after 2 min, and the data had been stale for 1 min 55 s.",
            "The trigger refetch(on:) of [\"a\"] fired.",
            "refetch(.all) asked for it.",
            "It was reset, by reset(.prefix([\"a\"])).",
            "Code asked for it: fetch, ensure, prefetch or refetch.",
          ]
        )
        for task in [refetch, reset, fetch] { task.cancel() }
        model.stop()
        withExtendedLifetime(stream) {}
      }
    }
  }

  @Test("runs of mutations are shown with the keys that they change")
  func runs() {
    run { simulation, client, model in
      let key = QueryKey<String>("a")
      client.setData("old", for: key)
      let rename = Mutation("rename") { (_: String, _: MutationContext) in
        try await simulation.clock.sleep(for: .seconds(5))
      }
      .optimistic { input, changes in changes.update(key) { $0 = input } }
      model.start(using: client)
      let task = Task { try await client.mutate(rename, with: "new") }
      simulation.advance(by: .seconds(1))
      expectEqual(model.runs.map(\.facts), ["performing · changes 1 key"])
      expectEqual(model.detail(of: 1)?.optimisticChanges, ["[\"rename\"]"])
      simulation.advance(by: .seconds(10))
      expectEqual(model.runs.map(\.facts), ["succeeded"])
      task.cancel()
    }
  }

  @Test("groups are hidden and shown again")
  func groups() {
    run { simulation, client, model in
      client.setData("1", for: QueryKey<String>("a", 1))
      client.setData("2", for: QueryKey<String>("b", 1))
      model.start(using: client)
      simulation.settle()
      model.listing.isGrouped = true
      model.toggle(model.screen.list.groups[0])
      expect(
        model.titles == ["[\"b\", 1]"] && model.screen.list.groups.map(\.isShown) == [false, true]
      )
      model.toggle(model.screen.list.groups[0])
      expectEqual(model.titles, ["[\"a\", 1]", "[\"b\", 1]"])
    }
  }

  @Test(
    "durations are short",
    arguments: [
      (-5_000_000, "less than 1 ms"), (999, "less than 1 ms"), (1_000, "1 ms"), (999_999, "999 ms"),
      (1_000_000, "1 s"), (1_250_000, "1.2 s"), (9_999_999, "9.9 s"), (10_900_000, "10 s"),
      (59_999_999, "59 s"), (60_000_000, "1 min"), (125_000_000, "2 min 5 s"),
      (3_600_000_000, "1 h"),
      (11_100_000_000, "3 h 5 min"), (86_400_000_000, "1 d"), (183_600_000_000, "2 d 3 h"),
    ]
  )
  func spans(_ microseconds: Int, _ expected: String) {
    expectEqual(Duration.microseconds(microseconds).spanText, expected)
  }
}

private struct Failure: Error, CustomStringConvertible {
  let description = "out of paper"
}

private enum One { struct User: Sendable, Equatable {} }
private enum Other { struct User: Sendable, Equatable {} }

extension InspectorModel {
  fileprivate var titles: [String] { screen.list.numbers.compactMap { row(of: $0)?.key.text } }

  fileprivate func number(of valueType: String) -> Int {
    screen.list.numbers.first { row(of: $0)?.key.valueType == valueType } ?? 0
  }
}
