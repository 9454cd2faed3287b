import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("a run has one identity wherever it goes") struct RunIdentityTests {
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

  /// Notes each attempt as `input: key`.
  private var pay: Mutation<Int, Int> {
    Mutation("pay") { [log] input, context in
      log.add("\(input): \(context.idempotencyKey)")
      return input
    }
  }

  /// Runs that are paused in one client, as an archive.
  private func archive(_ inputs: Int..., of mutation: Mutation<Int, Int>) throws -> CacheArchive {
    for input in inputs { simulation.start(mutation, with: input, on: client) }
    return try CacheArchive(decoding: client.export().archive.encoded())
  }

  private func nameless(_ archive: CacheArchive) throws -> CacheArchive {
    var archive = archive
    for index in archive.mutations.indices { archive.mutations[index].idempotencyKey = nil }
    return try CacheArchive(decoding: archive.encoded())
  }

  /// Lets everything run, and passes the time that runs are kept.
  private func runAndForget() {
    online.send(true)
    simulation.advance(by: .seconds(400))
    expect(client.mutations().isEmpty && other.mutations().isEmpty)
    online.send(false)
    simulation.settle()
  }

  private func performed(_ archive: CacheArchive) -> [String] {
    archive.mutations.map { run in
      "\(String(decoding: run.input, as: UTF8.self)): \(run.idempotencyKey?.uuidString ?? "nil")"
    }
  }

  @Test("what was imported and performed is not performed again when the run is forgotten")
  func importedAgainAfterRetention() throws {
    let archive = try archive(1, 2, of: pay)
    client.clear()
    expectEqual(other.import(archive, for: [.mutation(pay)]).mutationCount, 2)
    runAndForget()
    expectEqual(log.all, performed(archive))
    for _ in 0..<3 {
      let report = other.import(archive, for: [.mutation(pay)])
      expectEqual(report.skipped.map(\.reason.name), ["known", "known"])
      expectEqual(report.skipped.map(\.idempotencyKey), archive.mutations.map(\.idempotencyKey))
      // What was performed stays known, whatever is cleared.
      other.clear()
      runAndForget()
    }
    expectEqual(log.all, performed(archive))
  }

  @Test("the client that made an archive does not perform again what it performed itself")
  func ownArchive() throws {
    let archive = try archive(1, of: pay)
    runAndForget()
    expectEqual(log.all, performed(archive))
    expectEqual(client.import(archive, for: [.mutation(pay)]).mutationCount, 0)
    runAndForget()
    expectEqual(log.all, performed(archive))
  }

  @Test("two runs of one tick of the clock are two") func oneTick() throws {
    let archive = try archive(7, 7, of: pay)
    expectEqual(archive.mutations[0].submittedAt, archive.mutations[1].submittedAt)
    expect(archive.mutations[0].idempotencyKey != archive.mutations[1].idempotencyKey)
    client.clear()
    let second = CacheArchive(mutations: [archive.mutations[1]])
    expectEqual(other.import(second, for: [.mutation(pay)]).mutationCount, 1)
    runAndForget()
    expectEqual(other.import(archive, for: [.mutation(pay)]).mutationCount, 1)
    runAndForget()
    expectEqual(log.all, performed(second) + performed(archive).prefix(1))
  }

  @Test("a run that an archive holds twice runs once") func twiceInOneArchive() throws {
    var archive = try archive(1, of: pay)
    archive.mutations += archive.mutations
    expectEqual(other.import(archive, for: [.mutation(pay)]).mutationCount, 1)
    client.clear()
    runAndForget()
    expectEqual(log.all.count, 1)
  }

  @Test("all attempts have one key: after failures, pauses, and in the next process")
  func oneKeyForAllAttempts() throws {
    struct Offline: Error {}
    let keys = Notes<UUID>()
    let mutation = Mutation<Int, Int>("pay") { [online] input, context in
      keys.add(context.idempotencyKey)
      if context.attempt == 1 { online.send(false) }
      if context.attempt < 3 { throw Offline() }
      return input
    }
    .retry(5)
    .onMutate { _, context in keys.add(context.idempotencyKey) }
    .onSuccess { _, context in keys.add(context.idempotencyKey) }
    .onSettled { _, context in keys.add(context.idempotencyKey) }
    online.send(true)
    simulation.settle()
    simulation.start(mutation, with: 1, on: client)
    let info = try #require(client.mutations().first)
    expectEqual(client.run(of: mutation).idempotencyKey, info.idempotencyKey)
    simulation.advance(by: .seconds(60))
    expectEqual(client.mutations().map(\.isPaused), [true])
    let archive = try CacheArchive(decoding: client.export().archive.encoded())
    expectEqual(archive.mutations.map(\.idempotencyKey), [info.idempotencyKey])
    expectEqual(keys.all.count, 3)
    client.clear()
    // Its attempts are counted anew there.
    other.import(archive, for: [.mutation(mutation)])
    for _ in 0..<2 {
      online.send(true)
      simulation.advance(by: .seconds(60))
    }
    expect(other.run(of: mutation).isSuccess)
    expectEqual(keys.all.count, 10)
    expectEqual(Set(keys.all), [info.idempotencyKey])
  }

  @Test("an archive of an archive holds the same runs") func archiveOfArchive() throws {
    let archive = try archive(1, 2, of: pay.scope("lane"))
    other.import(archive, for: [.mutation(pay)])
    expectEqual(other.export().archive, archive)
    let nameless = try nameless(archive)
    let third = QueryClient(simulation: simulation) { [online] in
      $0.connectivity = Connectivity { online }
    }
    simulation.settle()
    third.import(nameless, for: [.mutation(pay)])
    let again = third.export().archive
    expect(again != nameless)
    try expectEqual(self.nameless(again), nameless)
    // Whoever imports the one has imported the other.
    expectEqual(third.import(nameless, for: [.mutation(pay)]).mutationCount, 0)
    third.clear()
    let report = third.import(again, for: [.mutation(pay)])
    expectEqual(report.mutationCount, 2)
    expectEqual(third.import(nameless, for: [.mutation(pay)]).mutationCount, 0)
    for client in [client, other, third] { client.clear() }
    simulation.settle()
  }

  @Test("paused runs that were cleared away may come back, cancelled ones may not")
  func clearedAndCancelled() throws {
    let archive = try archive(1, 2, of: pay)
    client.cancelMutations(.where { ($0.input as? Int) == 1 })
    simulation.settle()
    expectEqual(client.mutatingCount(), 1)
    // The archive is the only place where the other one is now.
    client.clear()
    let report = client.import(archive, for: [.mutation(pay)])
    expectEqual(report.skipped.map(\.idempotencyKey), [archive.mutations[0].idempotencyKey])
    expectEqual(report.mutationCount, 1)
    runAndForget()
    expectEqual(log.all, [performed(archive)[1]])
    expectEqual(client.import(archive, for: [.mutation(pay)]).mutationCount, 0)
  }

  @Test("a run that was cleared away at work does not come back: it may have reached the server")
  func clearedAtWork() throws {
    let mutation = Mutation<Int, Int>.slow("m", notes: log, simulation: simulation)
    let archive = try archive(1, of: mutation)
    let start = simulation.now.milliseconds
    online.send(true)
    simulation.settle()
    expectEqual(log.all, ["\(start) start 1"])
    client.clear()
    expectEqual(client.import(archive, for: [.mutation(mutation)]).mutationCount, 0)
    runAndForget()
    expectEqual(log.all.count, 1)
  }

  @Test("runs of archives without keys get the same ones at every import") func withoutKeys()
    throws
  {
    let archive = try nameless(try archive(1, 2, 2, of: pay))
    client.clear()
    let third = QueryClient(simulation: simulation) { [online] in
      $0.connectivity = Connectivity { online }
    }
    simulation.settle()
    let second = CacheArchive(mutations: [archive.mutations[1]])
    expectEqual(third.import(second, for: [.mutation(pay)]).mutationCount, 1)
    expectEqual(other.import(archive, for: [.mutation(pay)]).mutationCount, 3)
    expectEqual(other.import(archive, for: [.mutation(pay)]).mutationCount, 0)
    let keys = other.mutations().map(\.idempotencyKey)
    expectEqual(Set(keys).count, 3)
    expectEqual(third.mutations().map(\.idempotencyKey), [keys[1]])
    runAndForget()
    expectEqual(log.all.count, 4)
    expectEqual(other.import(archive, for: [.mutation(pay)]).mutationCount, 0)
    // What differs in the input alone is another run.
    expectEqual(third.import(archive, for: [.mutation(pay)]).mutationCount, 2)
    runAndForget()
    expectEqual(log.all.count, 6)
    third.clear()
  }

  @Test("runs that began here are known by key and date in archives without keys")
  func ownRunsWithoutKeys() throws {
    let archive = try nameless(try archive(1, 2, of: pay))
    simulation.advance(by: .milliseconds(1))
    simulation.start(pay, with: 3, on: client)
    expectEqual(client.import(archive, for: [.mutation(pay)]).mutationCount, 0)
    var later = archive
    later.mutations[1].submittedAt += 1
    expectEqual(client.import(later, for: [.mutation(pay)]).mutationCount, 1)
    client.clear()
    simulation.settle()
  }

  @Test("bytes of before there were keys are read") func earlierBytes() throws {
    let body =
      #"{"entries":[],"format":"StreamQuery-archive","mutations":[{"input":"Nw==","key":"k","#
      + #""scope":"s","submittedAt":0}],"version":1}"#
    let archive = try CacheArchive(decoding: CacheArchive.sealed(Array(body.utf8)))
    expectEqual(
      archive.mutations,
      [
        CacheArchive.PausedMutation(
          key: "k",
          input: Data("7".utf8),
          submittedAt: Date(timeIntervalSinceReferenceDate: 0),
          scope: "s"
        )
      ]
    )
    let wrong = body.replacing(#""scope""#, with: #""idempotencyKey":"7","scope""#)
    #expect(throws: CacheArchiveError.self) {
      try CacheArchive(decoding: CacheArchive.sealed(Array(wrong.utf8)))
    }
  }

  private func keys(seed: UInt64, random: UInt64? = nil) -> [UUID] {
    let simulation = Simulation(seed: seed)
    let offline = ManualSignal(false)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { offline }
      if let random { $0.randomness = { random } }
    }
    simulation.settle()
    for input in 0..<20 { simulation.start(pay, with: input, on: client) }
    defer {
      client.clear()
      simulation.settle()
    }
    return client.mutations().map(\.idempotencyKey)
  }

  @Test("keys are random, and the same for the same seed") func seeds() {
    expectEqual(keys(seed: 3), keys(seed: 3))
    expectEqual(Set(keys(seed: 3) + keys(seed: 4)).count, 40)
    for key in keys(seed: 3) {
      let text = Array(key.uuidString)
      expect(text[14] == "4" && "89AB".contains(text[19]))
    }
  }

  @Test("a generator that repeats itself makes no two runs one", arguments: [0, .max as UInt64])
  func poorGenerator(random: UInt64) {
    expectEqual(Set(keys(seed: 3, random: random)).count, 20)
  }
}
