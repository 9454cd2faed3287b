import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryShared

/// Keys that somebody makes up.
struct SharedFloodTests {
  let world = World()

  /// The rows and links of a machine.
  private func kept(_ machine: Machine) -> [Int] {
    machine.cache.locked { [$0.table.rows.count, $0.links.count, $0.table.rowsOfMarks.count] }
  }

  @Test func madeUpKeysLeaveNoMoreThanTheClientKeeps() {
    let machine = world.machine(entries: 100)
    world.duration.value = .zero
    for number in 0..<6_000 {
      _ = world.value(machine, world.query(machine, "made up \(number)", tags: ["t \(number)"]))
      // All within a second.
      if number.isMultiple(of: 60) { world.advance(0.01) }
    }
    #expect(world.requests.value == 6_000)
    #expect(machine.client.diagnostics().count <= 101)
    let kept = kept(machine)
    #expect(kept[0] <= 1_100, "\(kept)")
    #expect(kept[1] == kept[0])
    // For each row its key, its tag and two beginnings, of which one is common.
    #expect(kept[2] <= kept[0] * 3 + 2)
  }

  @Test func keysThatAreTooLongLeaveNoMemory() {
    let machine = world.machine(entries: 100)
    world.duration.value = .zero
    for number in 0..<80 {
      let text = "\(number) " + String(repeating: "x", count: 1 << 15)
      #expect(world.value(machine, world.query(machine, text)) == 1)
      world.advance(0.1)
    }
    let (bytes, counted) = machine.cache.locked { state in
      let bytes = state.table.rows.reduce(0) { bytes, row in
        row.value.marks.reduce(bytes + row.key.utf8.count) { $0 + $1.text.utf8.count }
      }
      return (bytes, state.table.bytes)
    }
    #expect(bytes < 3 << 19)
    #expect(counted == bytes)
  }

  /// Rows are looked through in the order of a hash table, which differs from process to process.
  @Test func lookingForWhatTheClientHasIsNoUseOfIt() {
    func left(asking: Bool) -> [Int] {
      let client = QueryClient(simulation: world.simulation) {
        $0.limit = CacheLimit(maxEntries: 20)
      }
      let keys = (0..<40).map { QueryKey<Int>("n", $0) }
      for number in 0..<20 { client.setData(number, for: keys[number]) }
      if asking {
        for key in keys[..<7] {
          for _ in 0..<9 { #expect(SharedLink(key).isCached(in: client)) }
        }
        #expect(!SharedLink(keys[30]).isCached(in: client))
      }
      for number in 20..<40 { client.setData(number, for: keys[number]) }
      defer { client.shutDown() }
      return client.entries(of: Int.self).map(\.data)
    }
    #expect(left(asking: true) == left(asking: false))
  }

  @Test func whatTheClientHasIsStillInvalidatedAfterAFlood() {
    let machine = world.machine(entries: 100)
    let other = world.machine()
    world.duration.value = .zero
    let query = world.query(machine, "mine")
    let observer = world.simulation.record(machine.client.stream(query))
    world.simulation.settle()
    for number in 0..<3_000 { _ = world.value(machine, world.query(machine, "made up \(number)")) }
    world.truth.value = 2
    let mine = world.query(other, "mine")
    world.simulation.run { try? await other.cache.invalidate(mine) }
    world.advance(1)
    #expect(observer.values.last?.data == 2)
    observer.cancel()
  }
}
