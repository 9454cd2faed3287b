import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// When values are encoded and decoded, which takes time and is users' code.
struct CodingCountTests: SlowStoreSuite {
  let simulation = Simulation(seed: 15)
  let store: SlowStore
  private let counts = Counts()

  init() { store = SlowStore(clock: simulation.clock) }

  private final class Counts: Sendable {
    let encoded = Atomic(0)
    let decoded = Atomic(0)
  }

  private var countedClient: QueryClient {
    client { [counts] persistence in
      persistence.coding = ArchiveCoding {
        counts.encoded.add(1, ordering: .relaxed)
        return try JSONEncoder().encode($0)
      } decode: {
        counts.decoded.add(1, ordering: .relaxed)
        return try JSONDecoder().decode($0, from: $1)
      }
    }
  }

  private var encoded: Int { counts.encoded.load(ordering: .relaxed) }
  private var decoded: Int { counts.decoded.load(ordering: .relaxed) }

  @Test("restoring a thousand records decodes none; the first use of one decodes that one, once")
  func decodedOnFirstUse() throws {
    let former = client()
    for number in 0..<1_000 { former.setData(number, for: key(number)) }
    former.shutDown()
    simulation.settle()
    expectEqual(kept.count, 1_000)

    let client = countedClient
    try simulation.run { try await client.restore() }
    simulation.advance(by: .seconds(60))
    expectEqual(decoded, 0)
    expectEqual(client.data(for: key(7)), 7)
    expectEqual(decoded, 1)
    expectEqual(client.data(for: key(7)), 7)
    expectEqual(decoded, 1)
    client.remove(["n", 8])
    client.shutDown()
    simulation.settle()
    expectEqual(decoded, 1)
    // What was only read is not written again.
    expectEqual(encoded, 0)
    expectEqual(kept.count, 999)
  }

  @Test("a thousand writes encode nothing before they are saved, and then each value once")
  func encodedWhenSaved() {
    let client = countedClient
    simulation.settle()
    for round in 1...3 {
      for number in 0..<1_000 { client.setData(number * round, for: key(number)) }
    }
    expectEqual(encoded, 0)
    simulation.advance(by: .milliseconds(999))
    expectEqual(encoded, 0)
    expectEmpty(store.batches)
    simulation.advance(by: .milliseconds(1))
    expectEqual(encoded, 1_000)
    expectEqual(store.batches.map(\.puts.count), [1_000])
    client.shutDown()
    simulation.settle()
    expectEqual(encoded, 1_000)
    expectEqual(decoded, 0)
  }
}
