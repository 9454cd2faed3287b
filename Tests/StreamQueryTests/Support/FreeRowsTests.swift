import Testing

@testable import StreamQuery

struct FreeRowsTests {
  private struct Sparing: FreeRows.Row {
    static let sparesRoom = true
    var nextFree: Int32 = -1
  }

  @Test func aLargeTableHasAtMostAnEighthOfItsRowsToSpare() {
    var (free, rows, most) = (FreeRows(), [Sparing](), 0)
    for count in 1...30_000 {
      #expect(free.store(Sparing(), in: &rows) == count - 1)
      // Below, the last doubling may still show.
      if count > 10_000 { most = max(most, rows.capacity - count - count / 8) }
    }
    // An allocation may be a page larger than asked for; a doubling would leave 57,340 bytes.
    #expect(most * MemoryLayout<Sparing>.stride <= 16_384)
  }

  @Test func theRowThatWasFreedLastIsUsedFirst() {
    var (free, rows) = (FreeRows(), [Sparing]())
    for _ in 0..<3 { _ = free.takeRow(from: &rows, new: Sparing()) }
    for position in [0, 2] { free.put(position, in: &rows) }
    expectEqual((0..<3).map { _ in free.takeRow(from: &rows, new: Sparing()) }, [2, 0, 3])
  }

  @Test func aFreeRowOfAnObserverOrAMemberKeepsWhatWasFreedBefore() {
    var (observer, member) = (Observer(), GroupRow.Member(ObserverID(index: -1, generation: 0)))
    expect(observer.nextFree == -1 && member.id == ObserverID(index: -1, generation: 0))
    for position in [-1, 0, 7, .max] as [Int32] {
      (observer.nextFree, member.nextFree) = (position, position)
      expect(observer.nextFree == position && member.nextFree == position && member.id == nil)
    }
  }

  @Test func rowsAreSmall() {
    expectEqual(MemoryLayout<Observer>.stride, 120)
    expectEqual(MemoryLayout<GroupRow.Member>.stride, 8)
  }
}
