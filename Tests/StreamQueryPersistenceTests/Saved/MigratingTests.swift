import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What was kept with another version of the form of a value.
struct MigratingTests: SlowStoreSuite {
  let simulation = Simulation(seed: 31)
  let store: SlowStore

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  private func old(_ maxAge: Duration = Persistence.unlimited) -> Query<Int> {
    Query(key: key(1)).persisted(in: store, maxAge: maxAge, version: "1")
  }

  /// The same key and type in another form: ten times the number, as text.
  private func new(
    maxAge: Duration = Persistence.unlimited,
    version: String = "2",
    migrating: (@Sendable (Data, String) throws -> Int)? = {
      guard $1 == "1" else { throw Boom(0) }
      return try JSONDecoder().decode(Int.self, from: $0) * 10
    }
  ) -> Query<Int> {
    Query(key: key(1)).persisted(in: store, maxAge: maxAge, version: version, migrating: migrating)
  }

  private func keep(_ maxAge: Duration = Persistence.unlimited) {
    let former = QueryClient(simulation: simulation)
    former.setData(7, for: old(maxAge))
    simulation.advance(by: .seconds(2))
    former.shutDown()
    simulation.settle()
  }

  private func events(_ client: QueryClient) -> ResultRecording<QueryEvent> {
    simulation.record(client.events)
  }

  private func restored(_ query: Query<Int>, _ events: inout [String]) -> Int? {
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(client.events)
    _ = client.data(for: query)
    simulation.settle()
    let data = client.data(for: query)
    simulation.advance(by: .seconds(2))
    events = recording.values.compactMap {
      if case .persistenceFailed(let error) = $0.kind { "\(error)" } else { nil }
    }
    client.shutDown()
    simulation.settle()
    return data
  }

  @Test("it is migrated, at each launch until it is written in the new form")
  func migrated() {
    var problems: [String] = []
    keep()
    for _ in 1...2 { expectEqual(restored(new(), &problems), 70) }
    expectEqual(problems, [])
    let client = QueryClient(simulation: simulation)
    _ = client.data(for: new())
    simulation.settle()
    client.updateData(for: new()) { $0? += 1 }
    simulation.advance(by: .seconds(2))
    client.shutDown()
    simulation.settle()
    expectEqual(restored(new(), &problems), 71)
    expectEqual(restored(new(version: "3", migrating: { _, _ in 5 }), &problems), 5)
  }

  @Test("it is migrated, too, if the age is raised with the version")
  func raisedAge() {
    let former = QueryClient(simulation: simulation)
    former.setData(7, for: old(.hours(1)))
    simulation.advance(by: .hours(3))
    // By the date of the newest record as well the first is older than it was to become.
    former.setData(8, for: Query(key: key(2)).persisted(in: store))
    simulation.advance(by: .seconds(2))
    former.shutDown()
    simulation.settle()
    var problems: [String] = []
    expectEqual(restored(new(maxAge: .hours(720)), &problems), 70)
    expectEqual(problems, [])
  }

  @Test("without a way to do so, it is dropped")
  func dropped() {
    var problems: [String] = []
    keep()
    expectNil(restored(new(migrating: nil), &problems))
    expectEqual(problems, [])
    expectEmpty(store.memory.load(.main).records)
  }

  @Test("what nobody can get again stays for a later version if that fails, and is told of")
  func failed() {
    var problems: [String] = []
    keep()
    let failing = new { _, _ in throw Boom(1) }
    expectNil(restored(failing, &problems))
    expectEqual(problems, ["\(Boom(1))"])
    expectEqual(restored(new(), &problems), 70)
    _ = store.memory.wipe(.main)
    keep(.hours(24))
    let limited = new(maxAge: .hours(24)) { _, _ in throw Boom(2) }
    expectNil(restored(limited, &problems))
    expectEqual(problems, ["\(Boom(2))"])
    expectEmpty(store.memory.load(.main).records)
  }

  @Test("what cannot be decoded and stays is told of once", arguments: [false, true])
  func toldOnce(isOfKeyAlone: Bool) {
    keep()
    let tries = Recorded<Int>()
    let client = client {
      $0.version = "1"
      $0.coding = ArchiveCoding {
        try JSONEncoder().encode($0)
      } decode: { _, _ in
        tries.append(1)
        throw Boom(4)
      }
    }
    let failing = new { _, _ in
      tries.append(1)
      throw Boom(4)
    }
    let recording = events(client)
    simulation.settle()
    for _ in 1...3 {
      #expect((isOfKeyAlone ? client.data(for: key(1)) : client.data(for: failing)) == nil)
    }
    simulation.settle()
    let problems: [String] = recording.values.compactMap {
      if case .persistenceFailed(let error) = $0.kind { "\(error)" } else { nil }
    }
    expectEqual(problems, ["\(Boom(4))"])
    // A migration may succeed at the next try.
    expectEqual(tries.values.count, isOfKeyAlone ? 1 : 3)
    expectEqual(client.data(for: isOfKeyAlone ? old() : new(version: "3")), isOfKeyAlone ? 7 : 70)
    client.shutDown()
  }

  @Test("what has the present version is not migrated, and what is too old is neither")
  func notMigrated() {
    var problems: [String] = []
    keep(.hours(24))
    let same = new(maxAge: .hours(24), version: "1") { _, _ in throw Boom(3) }
    expectEqual(restored(same, &problems), 7)
    simulation.advance(by: .hours(25))
    expectNil(restored(new(maxAge: .hours(24)), &problems))
    expectEqual(problems, [])
  }
}
