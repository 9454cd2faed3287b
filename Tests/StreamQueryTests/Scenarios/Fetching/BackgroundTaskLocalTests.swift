import StreamQuery
import StreamQueryTesting
import Testing

/// What the client does of its own accord is nobody's: no caller's task-locals are seen in it.
struct BackgroundTaskLocalTests {
  let simulation = Simulation(seed: 67)
  let online = ManualSignal(true)
  let seen = Notes<String>()
  let intrusion = Intrusion()
  let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation, online: online, intrusion: intrusion)
  }

  private func query(_ key: String = "n") -> Query<Int> {
    Query(key) { [seen] (context: FetchContext) in
      seen.add("\(context.cause) \(Caller.name)")
      return 1
    }
  }

  private func flap() {
    online.send(false)
    simulation.settle()
    online.send(true)
    simulation.settle()
  }

  @Test func aPollIsNobodys() {
    let query = query().refetchInterval(.seconds(1))
    let recording = Caller.named("ada") { simulation.record(client.stream(query)) }
    simulation.advance(by: .milliseconds(2_500))
    expectEqual(seen.all, ["subscribed ada", "interval nobody", "interval nobody"])
    recording.cancel()
  }

  @Test func aRefetchAfterAReconnectIsNobodys() {
    let query = query()
    let recording = Caller.named("ada") { simulation.record(client.stream(query)) }
    simulation.settle()
    flap()
    expectEqual(seen.all, ["subscribed ada", "reconnect nobody"])
    recording.cancel()
  }

  @Test func aConditionAndWhatItBeginsAreNobodys() {
    let query = query().refetchOnReconnect(
      .when { [seen] in
        seen.add("asked \(Caller.name)")
        return true
      }
    )
    let recording = Caller.named("ada") { simulation.record(client.stream(query)) }
    simulation.settle()
    flap()
    expectEqual(seen.all, ["subscribed ada", "asked nobody", "reconnect nobody"])
    recording.cancel()
  }

  // Its turn comes when the run is over, by the hand of that run.
  @Test func aConditionThatWaitedForARunIsNobodys() {
    let client = client
    let query = query().refetchOnReconnect(
      .when { [seen] in
        seen.add("asked \(Caller.name)")
        return true
      }
    )
    let recording = Caller.named("ada") { simulation.record(client.stream(query)) }
    simulation.settle()
    online.send(false)
    simulation.settle()
    let mutation = Mutation<Int, Int>("m") { $0 }
    simulation.task(as: "bob") { try await client.mutate(mutation, with: 1) }
    simulation.settle()
    online.send(true)
    simulation.settle()
    expectEqual(seen.all, ["subscribed ada", "asked nobody", "reconnect nobody"])
    recording.cancel()
  }

  @Test func aQuerysOwnTriggersAreNobodys() {
    let ticks = ManualSignal(0)
    let query = query().refetch(on: ticks.map { [seen] in seen.add("tick \($0) \(Caller.name)") })
    let recording = Caller.named("ada") { simulation.record(client.stream(query)) }
    simulation.settle()
    ticks.send(1)
    simulation.settle()
    let ofTheStream = seen.all.filter { !$0.hasPrefix("subscribed") }
    expectEqual(ofTheStream, ["tick 0 nobody", "tick 1 nobody", "trigger nobody"])
    expectEqual(seen.all.filter { $0.hasPrefix("subscribed") }, ["subscribed ada"])
    recording.cancel()
    ticks.finish()
    client.shutDown()
    simulation.settle()
  }

  @Test func connectedTriggersAreNobodys() {
    let query = query()
    let ticks = ManualSignal(0)
    let recording = Caller.named("ada") { simulation.record(client.stream(query)) }
    simulation.settle()
    let connection = Caller.named("bob") {
      client.connect(
        triggers: ticks.map { [seen] tick in
          seen.add("tick \(tick) \(Caller.name)")
          return tick > 0 ? QueryTrigger.refetch(.all) : QueryTrigger.invalidate("none")
        }
      )
    }
    simulation.settle()
    ticks.send(1)
    simulation.settle()
    expectEqual(seen.all, ["subscribed ada", "tick 0 nobody", "tick 1 nobody", "trigger nobody"])
    connection.cancel()
    recording.cancel()
  }

  @Test func aFunctionOfAnOptionIsAskedAgainByNobody() {
    let key = QueryKey<Int>("n")
    let query = query().enabled(when: { [seen] info in
      seen.add("asked \(Caller.name)")
      return info.data != nil
    })
    let recording = Caller.named("ada") { simulation.record(client.stream(query)) }
    simulation.settle()
    expectEqual(Set(seen.all), ["asked ada"])
    let before = seen.count
    Caller.named("bob") { client.setData(5, for: key) }
    simulation.settle()
    let after = Set(seen.all.dropFirst(before))
    #expect(after.contains("asked nobody"))
    #expect(after.allSatisfy { $0.hasSuffix("nobody") })
    recording.cancel()
  }

  @Test func onEventSeesNobodysTaskLocals() {
    let told = Notes<String>()
    let client = QueryClient(simulation: simulation) {
      $0.onEvent = { told.add("\($0.kind) \(Caller.name) \(Task.currentPriority == .medium)") }
    }
    Caller.named("ada") { client.setData(1, for: QueryKey<Int>("n")) }
    expectEqual(told.count, 2)
    #expect(told.all.allSatisfy { $0.hasSuffix("nobody true") })
    expectEqual(Caller.named("ada") { Caller.name }, "ada")
  }

  // It runs within the caller's own call: what the caller was, it is again afterwards.
  @Test func onEventLeavesItsCallersTaskAsItWas() throws {
    let client = client
    let notes = Notes<String>()
    simulation.task(as: "ada") {
      let before = withUnsafeCurrentTask { $0?.hashValue }
      client.setData(1, for: QueryKey<Int>("n"))
      notes.add("\(Caller.name) \(withUnsafeCurrentTask { $0?.hashValue } == before)")
      notes.add("\(Task.isCancelled)")
      withUnsafeCurrentTask { $0?.cancel() }
      client.setData(2, for: QueryKey<Int>("n"))
      notes.add("\(Task.isCancelled)")
    }
    simulation.settle()
    expectEqual(notes.all, ["ada true", "false", "true"])
  }

  @Test func whatOnEventBeginsIsNobodys() {
    let (seen, simulation) = (seen, simulation)
    let held = Dial<AsyncStream<QueryResult<Int>>?>(nil)
    let query = query()
    let client = Dial<QueryClient?>(nil)
    client.value = QueryClient(simulation: simulation) {
      $0.onEvent = { event in
        guard case .written = event.kind, let client = client.value else { return }
        held.value = client.stream(query)
      }
    }
    Caller.named("ada") { client.value?.setData(1, for: QueryKey<Int>("m")) }
    simulation.settle()
    expectEqual(seen.all, ["subscribed nobody"])
    held.value = nil
    client.value = nil
  }
}
