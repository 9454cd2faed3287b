import StreamQueryTesting
import Testing

@testable import StreamQuery

struct ObserverTableTests {
  private let query = ResolvedQuery(
    QueryDefinition(of: Int.self) { _ in TypedBox(1) },
    for: [],
    defaults: DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
  )

  @Test(arguments: Seeds.few(20))
  func anIdentifierFindsItsObserverUntilThatLeaves(seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var table = ObserverTable()
    var (present, former): ([ObserverID], [ObserverID]) = ([], [])
    for _ in 0..<200 {
      if present.isEmpty || random.next(below: 2) == 0 {
        let index = table.makeObserver(of: query)
        present.append(table.id(of: index))
      } else {
        let id = present.remove(at: random.next(below: present.count))
        if let index = table.index(of: id) {
          table[index] = Observer()
          table.free(index)
        }
        former.append(id)
      }
      expectEqual(table.liveCount, present.count)
      #expect(present.allSatisfy { id in table.index(of: id).map { table.id(of: $0) } == id })
      #expect(former.allSatisfy { table.index(of: $0) == nil })
    }
    for id in present {
      guard let index = table.index(of: id) else { continue }
      table[index] = Observer()
      table.free(index)
    }
    #expect(table.takeRows().allSatisfy { !$0.isLive })
    expect(table.isEmpty && table.liveCount == 0)
    let first = table.makeObserver(of: query)
    expect(first == 0 && table.index(of: table.id(of: first)) == 0)
  }

  @Test func anObserverThatEndsBeforeItBeginsHasAnIdentifierThatNamesNothing() {
    var table = ObserverTable()
    let ids = [table.makeFormerID(), table.makeFormerID()]
    let present = table.makeObserver(of: query)
    expectEqual(Set(ids + [table.id(of: present)]).count, 3)
    #expect(ids.allSatisfy { table.index(of: $0) == nil })
  }
}
