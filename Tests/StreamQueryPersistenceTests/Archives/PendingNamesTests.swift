import Testing

import StreamQuery
@testable import StreamQueryPersistence

struct PendingNamesTests {
  private var names = PendingNames()

  private mutating func line(_ texts: String) -> String {
    let (added, left) = names.named(texts.map(String.init))
    return "+\(added.joined()) -\(left.joined())"
  }

  @Test mutating func anArchiveChangesWhatItNamesForTheFirstTimeAndWhatItLeavesOut() {
    let lines = ["abcd", "abcd", "bd", "db", "dbe", "", "ab", "cd"].map { line($0) }
    expectEqual(lines, ["+abcd -", "+ -", "+ -ac", "+ -", "+e -", "+ -dbe", "+ab -", "+cd -ab"])
  }

  @Test mutating func whatAnArchiveBringsItDoesNotAnnounce() {
    let first = names.named(["a", "b"], bringing: ["b", "c"])
    expect(first.added == ["a"] && first.left == [])
    let second = names.named(["a", "b"], bringing: ["c"])
    expect(second.added == ["b"] && second.left == [])
    // It was named before, and is here now.
    let third = names.named(["b", "d"], bringing: ["a"])
    expect(third.added == ["d"] && third.left == ["a"])
  }

  @Test mutating func aNameThatIsThereTwiceCountsOnce() {
    let lines = ["aab", "ab", "a", "aa", "b"].map { line($0) }
    expectEqual(lines, ["+ab -", "+ -", "+ -b", "+ -", "+b -a"])
  }
}
