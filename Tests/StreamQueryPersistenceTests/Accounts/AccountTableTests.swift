import Testing

import StreamQuery
@testable import StreamQueryPersistence

/// Whose turn it is, and what the end of an account means.
struct AccountTableTests {
  final class Client {}
  typealias Table = AccountTable<Client, String, Int>

  @Test("calls about one account take their turns in order; other accounts do not wait")
  func turns() {
    var table = Table()
    var taken = [
      table.turns.take("a", orWait: 1), table.turns.take("a", orWait: 2),
      table.turns.take("b", orWait: 3), table.turns.take("a", orWait: 4),
    ]
    expectEqual(taken, [true, false, true, false])
    let next = [table.turns.ended("a"), table.turns.ended("a"), table.turns.ended("a")]
    expectEqual(next, [2, 4, nil])
    taken = [table.turns.take("a", orWait: 5), table.turns.take("b", orWait: 6)]
    expectEqual(taken, [true, false])
  }

  @Test("an account that is open, or was closed, is erased at its end")
  func erased() {
    var table = Table()
    let made = Client()
    let serial = table.opened("a", made)
    expect(table.isEnding("a", serial, hadEnded: false))
    expectEqual(table.ending(of: "a", serial), .erase)
    let client = table.closed("a", serial)
    #expect(client === made)
    expectEmpty(table.opened)
    expect(!table.isEnding("a", serial, hadEnded: false))
    expectEqual(table.ending(of: "a", serial), .erase)
    withExtendedLifetime(made) {}
  }

  @Test("a second end does nothing, unless the first one failed")
  func again() {
    var table = Table()
    let made = Client()
    let serial = table.opened("a", made)
    let client = table.ended("a", failedIn: ["store"])
    #expect(client === made)
    expectEqual(table.unfinished, ["a": ["store"]])
    expectEqual(table.ending(of: "a", serial), .erase)
    let none = table.ended("a", failedIn: [])
    expectNil(none)
    expectEmpty(table.unfinished)
    expectEqual(table.ending(of: "a", serial), .nothing)
    withExtendedLifetime(made) {}
  }

  @Test("an account that was opened again is not ended, nor closed, by who had it before")
  func reopened() {
    var table = Table()
    let (first, second) = (Client(), Client())
    let serial = table.opened("a", first)
    _ = table.closed("a", serial)
    _ = table.opened("a", second)
    expect(!table.isEnding("a", serial, hadEnded: false))
    expectEqual(table.ending(of: "a", serial), .isOpenAgain)
    let closed = table.closed("a", serial)
    expectNil(closed)
    #expect(table.opened["a"]?.client === second)
    withExtendedLifetime((first, second)) {}
  }

  @Test("an account that was erased, and opened again, is not erased by who had it before")
  func erasedAndReopened() {
    var table = Table()
    let (first, second) = (Client(), Client())
    let serial = table.opened("a", first)
    // It ends while it is still listed: the next call on it is not the first one.
    expect(!table.isEnding("a", serial, hadEnded: true))
    _ = table.ended("a", failedIn: [])
    let next = table.opened("a", second)
    expectEqual(table.ending(of: "a", serial), .nothing)
    expectEqual(table.ending(of: "a", next), .erase)
    withExtendedLifetime((first, second)) {}
  }

  @Test("clients that were closed are known for as long as they exist")
  func known() {
    var table = Table()
    let kept = Client()
    var names: [String] = []
    for number in 0..<1_000 {
      let name = "\(number)"
      let client = number == 500 ? kept : Client()
      let serial = table.opened(name, client)
      _ = table.closed(name, serial)
      if !table.clients(of: name).isEmpty { names.append(name) }
    }
    expectEqual(table.clients(of: "500").map(ObjectIdentifier.init), [ObjectIdentifier(kept)])
    expectEmpty(table.clients(of: "499"))
    // Each was there until it was released.
    expectEqual(names.count, 1_000)
    _ = table.ended("500", failedIn: [])
    expectEmpty(table.clients(of: "500"))
  }
}
