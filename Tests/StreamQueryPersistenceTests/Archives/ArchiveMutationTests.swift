import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("T71 T85 T86: paused mutations in archives") struct ArchiveMutationTests {
  private let simulation = Simulation(seed: 5)
  private let online = ManualSignal(false)
  private let log = Notes<String>()
  private let client: QueryClient
  private let other: QueryClient

  init() {
    let online = online
    client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    other = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    simulation.settle()
  }

  /// Starts runs that are paused, archives them, and ends them where they were.
  private func archive(_ inputs: Int..., of mutation: Mutation<Int, Int>) throws -> CacheArchive {
    for input in inputs {
      simulation.start(mutation, with: input, on: client)
      simulation.advance(by: .milliseconds(1))
    }
    let archive = try CacheArchive(decoding: client.export().archive.encoded())
    client.clear()
    simulation.settle()
    expectEmpty(client.mutations())
    return archive
  }

  private var slow: Mutation<Int, Int> { .slow("m", notes: log, simulation: simulation) }

  @Test("hydrate-paused-mutation: the defaults of the key do the work, in order")
  func defaultsDoTheWork() throws {
    let bare = Mutation<Int, Int>(key: ["m", 1])
    let archive = try archive(1, 2, 3, of: bare.scope("lane"))
    other.setMutationDefaults(for: "m") { [slow, weak other] input, _ in
      let mutation = slow
      guard let other else { throw CancellationError() }
      return try await other.mutate(mutation, with: input as? Int ?? 0)
    }
    let report = other.import(archive, for: [.mutations(from: Int.self, to: Int.self)])
    expectEqual(report.mutationCount, 3)
    expectEqual(other.mutations().map(\.isPaused), [true, true, true])
    expectEqual(other.mutations().map(\.scope), ["lane", "lane", "lane"])
    expectEqual(other.mutations().map(\.submittedAt), archive.mutations.map(\.submittedAt))
    simulation.advance(by: .milliseconds(47))
    online.send(true)
    simulation.advance(by: .milliseconds(100))
    expectEqual(
      log.all,
      [
        "50 start 1", "60 end 1", "60 start 2", "70 end 2", "70 start 3", "80 end 3",
      ]
    )
    expectEqual(other.run(of: bare).output, 103)
  }

  @Test("a mutation brings its work, callbacks and layers") func theMutationDoesTheWork() throws {
    let key = QueryKey<Int>("count")
    let mutation =
      slow
      .optimistic { input, changes in changes.update(Query(key: key)) { $0? += input } }
      .onMutate { [log] input, _ in log.add("onMutate \(input)") }
      .onSuccess { [log] output, _ in log.add("onSuccess \(output)") }
    client.setData(1, for: key)
    let archive = try archive(10, of: mutation)
    expectEqual(log.all, ["onMutate 10"])
    let shown = simulation.record(other.stream(Query(key: key)))
    simulation.settle()
    let report = other.import(archive, for: [.query(Query(key: key)), .mutation(mutation)])
    expectEmpty(report.skipped)
    simulation.settle()
    expectEqual(other.data(for: key), 11)
    expectEqual(shown.values.map(\.data), [nil, 11])
    online.send(true)
    simulation.advance(by: .milliseconds(100))
    expectEqual(
      log.all,
      ["onMutate 10", "onMutate 10", "1 start 10", "11 end 10", "onSuccess 110"]
    )
  }

  @Test("an archive that is imported twice runs nothing twice") func importingTwice() throws {
    let archive = try archive(1, 2, 1, of: slow)
    expectEqual(other.import(archive, for: [.mutation(slow)]).mutationCount, 3)
    expectEqual(
      other.import(archive, for: [.mutation(slow)]).skipped.map(\.reason.name),
      [
        "known", "known", "known",
      ]
    )
    online.send(true)
    simulation.advance(by: .milliseconds(20))
    // Those that are over are known too, for as long as they are kept.
    expectEqual(other.import(archive, for: [.mutation(slow)]).mutationCount, 0)
    expectEqual(log.all.count, 6)
    simulation.advance(by: .seconds(300))
    expectEmpty(other.mutations())
  }

  @Test("runs of one instant are told apart by their number") func runsOfOneInstant() throws {
    for input in 1...3 { simulation.start(slow, with: input, on: client) }
    let archive = client.export().archive
    expectEqual(archive.mutations.count, 3)
    let first = CacheArchive(mutations: Array(archive.mutations.prefix(1)))
    expectEqual(other.import(first, for: [.mutation(slow)]).mutationCount, 1)
    expectEqual(other.import(archive, for: [.mutation(slow)]).mutationCount, 2)
    expectEqual(client.import(archive, for: [.mutation(slow)]).mutationCount, 0)
    client.clear()
    other.clear()
    simulation.settle()
  }

  @Test("online, they run at once") func onlineRuns() throws {
    let archive = try archive(1, of: slow)
    online.send(true)
    simulation.settle()
    other.import(archive, for: [.mutation(slow)])
    simulation.advance(by: .milliseconds(10))
    expectEqual(log.all, ["1 start 1", "11 end 1"])
  }

  @Test("online, they begin in the order of the archive", arguments: Seeds.few(2))
  func onlineRunsInOrder(seed: UInt64) {
    for input in 0..<8 { simulation.start(slow, with: input, on: client) }
    let archive = client.export().archive
    client.clear()
    simulation.settle()
    let later = Simulation(seed: seed)
    let third = QueryClient(simulation: later)
    let begun = Notes<Int>()
    let mutation = Mutation<Int, Int>(key: "m") { input in
      begun.add(input)
      return input
    }
    expectEqual(third.import(archive, for: [.mutation(mutation)]).mutationCount, 8)
    later.settle()
    expectEqual(begun.all, Array(0..<8))
  }

  @Test(
    "onMutate is called in the order of the archive",
    arguments: Seeds.few(2),
    [false, true]
  )
  func onMutateInOrder(seed: UInt64, resuming: Bool) {
    for input in 0..<6 {
      simulation.start(.slow("m", simulation: simulation), with: input, on: client)
    }
    let archive = client.export().archive
    client.clear()
    simulation.settle()
    let later = Simulation(seed: seed)
    let third = QueryClient(simulation: later)
    let begun = Notes<Int>()
    let mutation = Mutation<Int, Int>(key: "m") { input in input }
      .onMutate { input, _ in begun.add(input) }
    third.import(archive, for: [.mutation(mutation)], resuming: resuming)
    if !resuming {
      later.task { await third.resumeMutations() }
    }
    later.settle()
    expectEqual(begun.all, Array(0..<6))
    expectEqual(third.mutatingCount(), 0)
  }

  @Test("a run whose date is none is known when it comes again") func dateThatIsNone() throws {
    var archive = try archive(1, of: slow)
    archive.mutations[0].submittedAt = Date(timeIntervalSinceReferenceDate: .nan)
    let reread = try CacheArchive(decoding: archive.encoded())
    expectEqual(other.import(reread, for: [.mutation(slow)]).mutationCount, 1)
    expectEqual(other.import(reread, for: [.mutation(slow)]).mutationCount, 0)
    try expectEqual(other.export().archive.encoded().isEmpty, false)
    other.clear()
    simulation.settle()
  }

  @Test("imported without resuming them, they wait for the call, which waits for their ends")
  func heldRuns() throws {
    let archive = try archive(1, 2, of: slow.scope("lane").onMutate { input, _ in input })
    online.send(true)
    simulation.settle()
    other.import(archive, for: [.mutation(slow)], resuming: false)
    simulation.advance(by: .milliseconds(48))
    expectEqual(other.mutations().map(\.isPaused), [true, true])
    let resuming = simulation.task { [other] in await other.resumeMutations() }
    let time = simulation.task { [simulation] in
      await resuming.value
      return simulation.now
    }
    simulation.advance(by: .milliseconds(100))
    expectEqual(log.all, ["50 start 1", "60 end 1", "60 start 2", "70 end 2"])
    expectEqual(simulation.run { await time.value }, .milliseconds(70))
  }

  @Test("runs that are held begin when the network comes back, and not before") func heldOffline()
    throws
  {
    let archive = try archive(1, of: slow)
    other.import(archive, for: [.mutation(slow)], resuming: false)
    let resuming = simulation.task { [other] in await other.resumeMutations() }
    simulation.advance(by: .milliseconds(9))
    #expect(simulation.run { await resuming.value } == ())
    expectEqual(other.mutations().map(\.isPaused), [true])
    online.send(true)
    simulation.advance(by: .milliseconds(20))
    expectEqual(log.all, ["10 start 1", "20 end 1"])
  }

  @Test("a run that is cancelled during onMutate is not archived as paused")
  func cancelledDuringOnMutate() {
    let clock = simulation.clock
    let executor = simulation.executor
    let mutation = Mutation<Int, Int>.slow("m", simulation: simulation)
      .onMutate { input, _ in
        // Deaf to cancellation.
        await Task(executorPreference: executor) { try? await clock.sleep(for: .milliseconds(50)) }
          .value
        return input
      }
    let caller = simulation.start(mutation, with: 1, on: client)
    expectEqual(client.mutations(.paused).count, 1)
    let seen = simulation.record(client.runs(of: mutation))
    simulation.settle()
    caller.cancel()
    simulation.settle()
    expect(client.run(of: mutation).isPending)
    expectEmpty(client.mutations(.paused))
    expectEmpty(client.export().archive.mutations)
    expectEqual(seen.values.map(\.isPaused), [true, false])
    simulation.advance(by: .milliseconds(50))
    expectEqual(client.mutatingCount(), 0)
  }

  @Test("only paused runs are archived, and the filter chooses among them") func onlyPausedRuns() {
    simulation.start(slow.networkMode(.always), with: 1, on: client)
    simulation.start(.slow("n", simulation: simulation), with: 2, on: client)
    simulation.start(slow, with: 3, on: client)
    expectEqual(client.export().archive.mutations.map(\.input), [Data("2".utf8), Data("3".utf8)])
    expectEqual(client.export(mutations: "m").archive.mutations.count, 1)
    client.clear()
    simulation.settle()
  }

  @Test("what nobody could perform is not begun, for it would be lost") func missingWork() throws {
    let archive = try archive(1, of: Mutation<Int, Int>(key: "m"))
    let report = other.import(archive, for: [.mutations(from: Int.self, to: Int.self)])
    expectEqual(report.skipped.map(\.reason.name), ["missingPerform"])
    expectEqual(report.skipped.map(\.isMutation), [true])
    expectEqual(other.import(archive).skipped.map(\.reason.name), ["unknown"])
    expectEmpty(other.mutations())
  }

  @Test("broken inputs and keys are skipped with a report") func brokenRuns() throws {
    var archive = try archive(1, 2, of: slow)
    archive.mutations[0].input = Data("\"x\"".utf8)
    archive.mutations[1].key += "x"
    let report = other.import(
      archive,
      for: [.mutation(slow), .mutations(from: Int.self, to: Int.self)]
    )
    expectEqual(report.skipped.map(\.reason.name), ["undecodable", "unreadableKey"])
    expectEmpty(other.mutations())
  }

  @Test("a mutation without input, and inputs that cannot be encoded") func otherInputs() throws {
    let logOut = Mutation<Void, Void>("log-out") { [log] in log.add("out") }
    let opaque = Mutation<ArchivedStone, Int>("opaque") { _ in 1 }
    simulation.start(logOut, with: (), on: client)
    simulation.start(opaque, with: ArchivedStone(), on: client)
    let export = client.export()
    expectEqual(export.archive.mutations.count, 1)
    expectEqual(export.skipped.map(\.isMutation), [true])
    client.clear()
    expectEqual(other.import(export.archive, for: [.mutation(logOut)]).mutationCount, 1)
    online.send(true)
    simulation.settle()
    expectEqual(log.all, ["out"])
  }
}
