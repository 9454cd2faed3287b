import StreamQueryTesting
import Testing

@testable import StreamQuery

struct SlotTableTests {
  private var table = SlotTable()
  /// The entries that there are, by their keys.
  private var entries: [Int: EntryID] = [:]
  private var live: Set<Int> = []

  private func key(_ number: Int) -> EntryKey { EntryKey(["n", number], valueType: Int.self) }

  private mutating func remove(_ number: Int) {
    guard let index = table.index(of: key(number)) else { return }
    var garbage = Garbage()
    table.keys.remove(key(number).storage, id: Int32(index), into: &garbage)
    table[index].key = nil
    table.setLive(false, index)
    table.free(index)
    entries[number] = nil
    live.remove(number)
  }

  private mutating func compact() {
    let kept = table.indices.filter { table[$0].key != nil }.map { Int32($0) }
    let places = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, Int32($0)) })
    _ = table.keys.compact { places[$0] ?? -1 }
    let old = table.compact(to: kept)
    #expect(old.allSatisfy { $0.key == nil })
    expectEqual(table.count, entries.count)
  }

  @Test(arguments: Seeds.few(20))
  mutating func afterAnyStepsEachEntryIsFoundByItsKeyAndItsIdentifier(seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var former: [EntryID] = []
    for _ in 0..<300 {
      let number = random.next(below: 20)
      switch random.next(below: 8) {
      case 0...2 where entries[number] == nil:
        let (index, _) = table.makeEntry(of: key(number), at: .zero)
        entries[number] = table.id(of: index)
      case 3:
        if let id = entries[number] { former.append(id) }
        remove(number)
      case 4, 5:
        guard let index = table.index(of: key(number)) else { continue }
        let isLive = random.next(below: 2) == 0
        table.setLive(isLive, index)
        if isLive { live.insert(number) } else { live.remove(number) }
      case 6: compact()
      default: break
      }
      expectInvariants(former)
    }
  }

  private func expectInvariants(_ former: [EntryID]) {
    for (number, id) in entries {
      let index = table.index(of: key(number))
      expect(index != nil && table.index(of: id) == index)
    }
    #expect(former.allSatisfy { table.index(of: $0) == nil }, "no identifier names another entry")
    expectEqual(Set(table.live.compactMap { table[Int($0)].key }), Set(live.map { key($0) }))
    for (position, index) in table.live.enumerated() {
      expectEqual(Int(table[Int(index)].livePosition), position)
    }
    expectEqual(table.filter { $0.key != nil }.count, entries.count)
  }
}
