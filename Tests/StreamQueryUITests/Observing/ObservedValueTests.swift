import StreamQuery
import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQueryUI

@MainActor
struct ObservedValueTests: ObservedSuite {
  private var save: Mutation<Int, Int> {
    let pause = ScriptedFetch(.value((), after: .milliseconds(10)))
    return Mutation("save") { input in
      try await pause()
      return input
    }
  }

  private final class State: Sendable {
    let text = Mutex("old")
  }

  @Test("the count of fetches shows in the first frame, and each other count once")
  func fetches() {
    run { simulation, client in
      let users = ObservedQuery(query("a"), client: client)
      let all = ObservedValue(.fetchingCount(), client: client)
      let others = ObservedValue(.fetchingCount(.prefix("b")), client: client)
      let screens = [Screen { all.value }, Screen { others.value }]
      expectEqual(screens.map(\.frames), [[1], [0]])
      simulation.advance(by: .seconds(1))
      expectEqual(screens.map(\.frames), [[1, 0], [0]])
      client.setData("old", for: query("b"))
      users.update(query: query("b"))
      simulation.advance(by: .seconds(1))
      expectEqual(screens.map(\.frames), [[1, 0, 1, 0], [0, 1, 0]])
      expectEqual(users.data, "fetched")
    }
  }

  @Test("the runs of a mutation are a list, and their number a count")
  func runs() {
    run { simulation, client in
      let runs = ObservedValue(.runs(matching: .key("save")), client: client)
      let count = ObservedValue(.mutatingCount(), client: client)
      let list = Screen { runs.value.map { "\($0.input) \($0.status)" } }
      let counts = Screen { count.value }
      expect(list.frames == [[]] && counts.frames == [0])
      let saving = ObservedMutation(save, client: client)
      saving.run(1)
      simulation.settle()
      expect(list.frames.last == ["1 pending"] && counts.frames == [0, 1])
      simulation.advance(by: .milliseconds(10))
      expect(list.frames.last == ["1 success"] && counts.frames == [0, 1, 0])
    }
  }

  @Test("after a shutdown of the client, nothing is fetching and nothing is running")
  func shutDown() {
    run { simulation, client in
      let users = ObservedQuery(query("a"), client: client)
      let saving = ObservedMutation(save, client: client)
      let fetching = ObservedValue(.fetchingCount(), client: client)
      let running = ObservedValue(.mutatingCount(), client: client)
      let runs = ObservedValue(.runs(), client: client)
      saving.run(1)
      simulation.settle()
      expect(fetching.value == 1 && running.value == 1 && runs.value.count == 1)
      client.shutDown()
      simulation.settle()
      expect(fetching.value == 0 && running.value == 0 && runs.value.isEmpty)
      expectNil(users.data)
    }
  }

  @Test("what was stopped or released follows nothing, and another client counts at once")
  func life() {
    run { simulation, client in
      let other = QueryClient(simulation: simulation)
      var fetching: ObservedValue<Int>? = ObservedValue(.fetchingCount())
      expectEqual(fetching?.value, 0)
      let item = ObservedQuery(query("a"), client: client)
      fetching?.start(using: client)
      expectEqual(fetching?.value, 1)
      fetching?.stop()
      simulation.advance(by: .seconds(1))
      expect(fetching?.value == 1 && item.data == "fetched")
      fetching?.start(using: client)
      expectEqual(fetching?.value, 0)
      let late = ObservedQuery(query("b"), client: other)
      fetching?.start(using: other)
      expectEqual(fetching?.value, 1)
      weak let released = fetching
      fetching = nil
      expectNil(released)
      simulation.advance(by: .seconds(1))
      expectEqual(late.data, "fetched")
    }
  }

  @Test("whatever changes of a run is shown: what `onMutate` has saved, too")
  func saved() {
    run { simulation, client in
      let pause = ScriptedFetch<Void>(.value((), after: .milliseconds(10)))
      let rename = save.onMutate { input, _ in
        try await pause()
        return "before \(input)"
      }
      let runs = ObservedValue(.runs(), client: client)
      let screen = Screen { runs.value.map { $0.run(of: rename)?.saved(as: String.self) } }
      let renaming = ObservedMutation(rename, client: client)
      renaming.run(1)
      simulation.advance(by: .milliseconds(5))
      expectEqual(screen.frames.last, [nil])
      simulation.advance(by: .milliseconds(10))
      expect(screen.frames.last == ["before 1"] && renaming.isPending)
    }
  }

  @Test("the first run of another client is not that of the former one")
  func runsOfAnotherClient() {
    run { simulation, client in
      let clients = [client, QueryClient(simulation: simulation)]
      let saving = clients.map { ObservedMutation(save, client: $0) }
      for (index, mutation) in saving.enumerated() { mutation.run(index) }
      simulation.settle()
      let runs = ObservedValue(.runs(), client: client)
      let screen = Screen { runs.value.map { "\($0.input)" } }
      runs.start(using: clients[1])
      simulation.settle()
      expectEqual(screen.frames, [["0"], ["1"]])
    }
  }

  @Test("one read of a run is the same as another one, for as long as nothing changes")
  func singleReads() {
    run { simulation, client in
      let saving = ObservedMutation(save, client: client)
      saving.run(1)
      simulation.settle()
      let runs = ObservedValue(.runs(), client: client)
      let screen = Screen { runs.value.count }
      runs.preview(client)
      simulation.settle()
      expectEqual(screen.frames, [1])
    }
  }

  @Test("where nothing may be observed, the value shows and is not followed")
  func onlyDrawn() {
    run { simulation, client in
      let hidden = QueryEnvironment(client: client, observes: false)
      let drawn = ObservedValue(.fetchingCount())
      let users = ObservedQuery(query("a"), client: client)
      drawn.drawn(using: client, hidden)
      expectEqual(drawn.value, 1)
      simulation.advance(by: .seconds(1))
      expect(drawn.value == 1 && users.data == "fetched")
      drawn.drawn(using: client, QueryEnvironment(client: client))
      expectEqual(drawn.value, 0)
      drawn.drawn(using: client, hidden)
      users.refetch()
      simulation.settle()
      expect(drawn.value == 0 && users.isFetching)
      drawn.drawn(using: client, hidden)
      expectEqual(drawn.value, 1)
    }
  }

  @Test("a change while the stream of a value of one's own begins is not lost")
  func changeAtTheStart() {
    run { _, client in
      let state = State()
      let source = ClientValue(
        initial: "-",
        now: { _ in state.text.withLock { $0 } },
        changes: { _ in
          state.text.withLock { $0 = "new" }
          return AsyncStream { _ in }
        }
      )
      expectEqual(ObservedValue(source, client: client).value, "new")
    }
  }

  @Test("a value of one's own is applied inside of the context of changes")
  func ownValue() {
    run { simulation, client in
      let (texts, text) = AsyncStream<String>.makeStream()
      let source = ClientValue(
        initial: "-",
        now: { _ in "now" },
        changes: { _ in texts }
      )
      let observed = ObservedValue(source, client: client)
      var lines: [String] = [observed.value]
      observed.changeContext = { change in
        change()
        lines.append(observed.value)
      }
      for line in ["now", "A", "A", "B"] {
        text.yield(line)
        simulation.settle()
      }
      expectEqual(lines, ["now", "A", "B"])
      observed.changeContext = nil
    }
  }

  @Test("a context that goes to another client applies no value of the former one")
  func anotherClientInAContext() {
    run { simulation, client in
      let other = QueryClient(simulation: simulation)
      let (texts, text) = AsyncStream<String>.makeStream()
      let source = ClientValue(
        initial: "-",
        now: { $0 === other ? "other" : "now" },
        changes: { $0 === other ? AsyncStream<String> { _ in } : texts }
      )
      let observed = ObservedValue(source, client: client)
      observed.changeContext = { change in
        observed.changeContext = nil
        observed.start(using: other)
        change()
      }
      text.yield("newer")
      simulation.settle()
      expectEqual(observed.value, "other")
      observed.stop()
    }
  }
}
