import Testing

@testable import StreamQuery

/// Whose turn it is, and what the end of an account means.
struct ScopeTableTests {
  typealias Table = ScopeTable<String, String, Int>

  @Test("calls about one account take their turns in order; other accounts do not wait")
  func turns() {
    var table = Table()
    var taken = [
      table.takeTurn(of: "a", orWait: 1), table.takeTurn(of: "a", orWait: 2),
      table.takeTurn(of: "b", orWait: 3), table.takeTurn(of: "a", orWait: 4),
    ]
    #expect(taken == [true, false, true, false])
    let next = [table.turnEnded(of: "a"), table.turnEnded(of: "a"), table.turnEnded(of: "a")]
    #expect(next == [2, 4, nil])
    taken = [table.takeTurn(of: "a", orWait: 5), table.takeTurn(of: "b", orWait: 6)]
    #expect(taken == [true, false])
  }

  @Test("an account that is open, or was closed, is erased at its end")
  func erased() {
    var table = Table()
    let serial = table.opened("a", "client")
    #expect(table.ending(of: "a", serial, hadEnded: false) == .erase)
    let client = table.closed("a", serial)
    #expect(client == "client")
    #expect(table.opened.isEmpty)
    #expect(table.ending(of: "a", serial, hadEnded: false) == .erase)
  }

  @Test("a second end does nothing, unless the first one failed")
  func again() {
    var table = Table()
    let serial = table.opened("a", "client")
    let client = table.ended("a", failedIn: ["store"])
    #expect(client == "client")
    #expect(table.unfinished == ["a": ["store"]])
    #expect(table.ending(of: "a", serial, hadEnded: true) == .erase)
    let none = table.ended("a", failedIn: [])
    #expect(none == nil)
    #expect(table.unfinished.isEmpty)
    #expect(table.ending(of: "a", serial, hadEnded: true) == .nothing)
  }

  @Test("an account that was opened again is not ended, nor closed, by who had it before")
  func reopened() {
    var table = Table()
    let first = table.opened("a", "first")
    _ = table.closed("a", first)
    let second = table.opened("a", "second")
    #expect(table.ending(of: "a", first, hadEnded: false) == .isOpenAgain)
    #expect(table.ending(of: "a", first, hadEnded: true) == .nothing)
    let closed = table.closed("a", first)
    #expect(closed == nil)
    #expect(table.opened["a"]?.serial == second)
  }
}
