import Testing

@testable import StreamQuery

struct AwaitedKeysTests {
  private typealias Keys = AwaitedKeys<String>

  private var keys = Keys()
  private let number: Int

  init() {
    number = keys.began("end", limit: TimeSpan(.seconds(30)))
    keys.named(["a"], by: number, at: .zero)
  }

  private func key(_ name: String) -> EntryKey { EntryKey(QueryKey<String>(name)) }

  private func candidate(_ name: String = "a", entry: UInt64? = nil) -> Keys.Candidate {
    Keys.Candidate(text: name, info: .absent(key(name)), entry: entry)
  }

  /// Whether a fetch of a key waits that starts now.
  private mutating func waits(_ name: String = "a") -> Bool {
    keys.importWait(for: candidate(name), startedAt: keys.started(), at: .zero) != nil
  }

  /// How long a fetch waits, in seconds.
  private mutating func end(
    _ name: String = "a",
    of start: UInt64,
    at seconds: Double = 0
  ) -> Double? {
    let wait = keys.importWait(for: candidate(name), startedAt: start, at: .seconds(seconds))
    return wait?.until.map { Double($0.nanoseconds) / 1e9 }
  }

  @Test mutating func onlyFetchesWaitThatStartAfterTheirKeyWasNamed() {
    let early = keys.started()
    keys.named(["a", "b"], by: number, at: .zero)
    let late = keys.started()
    let ends = [
      end("a", of: early), end("b", of: early), end("b", of: late), end("c", of: late),
      end("a", of: 0),
    ]
    expectEqual(ends, [30, nil, 30, nil, nil])
  }

  @Test mutating func aWaitCountsFromTheTimeAtWhichTheKeyWasNamed() {
    keys.named(["a", "b"], by: number, at: .seconds(10))
    var ends: [Double?] = []
    for seconds in [0.0, 29, 30, 39, 40] {
      for name in ["a", "b"] { ends.append(end(name, of: keys.started(), at: seconds)) }
    }
    expectEqual(ends, [30, 40, 30, 40, nil, 40, nil, 40, nil, nil])
  }

  @Test mutating func aKeyIsAwaitedAsLongAsAnyImportNamesIt() {
    let other = keys.began("other", limit: TimeSpan(.seconds(60)))
    let endless = keys.began("endless", limit: .infinite)
    for number in [other, endless] { keys.named(["a"], by: number, at: .zero) }
    let start = keys.started()
    let long = keys.importWait(for: candidate(), startedAt: start, at: .zero)
    expectEqual(long, Keys.Wait(until: nil))
    _ = keys.importEnded(endless)
    let former = end(of: start)
    expectEqual(former, 60)
    _ = keys.importEnded(other)
    let rest = end(of: start)
    expectEqual(rest, 30)
    _ = keys.left(["a"], by: number)
    expect(!waits())
    expect(!keys.isEmpty)
    _ = keys.importEnded(number)
    expect(keys.isEmpty)
  }

  @Test mutating func whoIsLookedAtIsWhoWaitedForWhatIsGone() {
    keys.named(["b"], by: number, at: .zero)
    let other = keys.began("other", limit: .zero)
    keys.named(["c"], by: other, at: .zero)
    let ids = (1...3).map { EntryID(index: Int32($0), generation: UInt64($0)) }
    for (id, text) in zip(ids, ["b", "a", "c"]) { keys.addDeferred(id, text) }
    let left = keys.left(["a", "x"], by: number)
    expectEqual(left, [Keys.Deferred(id: ids[1], text: "a")])
    let rest = keys.importEnded(number)
    expectEqual(rest, [Keys.Deferred(id: ids[0], text: "b")])
    for held in left + rest { keys.removeDeferred(held) }
    expectEqual(keys.allDeferred.map(\.text), ["c"])
    // What is over brings and ends nothing.
    let again = keys.importEnded(number)
    expectEqual(again, [])
  }

  @Test mutating func whatHappensToAKeyLetsItsFetchesGo() {
    for event in 0..<4 {
      var keys = keys
      switch event {
      case 0: keys.fenced(key("a"))
      case 1: keys.requested(key("a"))
      case 2: keys.invalidated(key("a"), at: 1)
      default: keys.bulkChanged(.all, invalidatedAt: nil, newestEntry: 0)
      }
      let now = keys.importWait(for: candidate(), startedAt: keys.started(), at: .zero)
      expectNil(now, "\(event)")
      // A later import knows of it.
      let later = keys.began("later", limit: TimeSpan(.seconds(1)))
      keys.named(["a"], by: later, at: .zero)
      let next = keys.importWait(for: candidate(), startedAt: keys.started(), at: .zero)
      expectEqual(next, Keys.Wait(until: .seconds(1)), "\(event)")
    }
  }

  @Test mutating func eachEventHasItsVerdict() {
    expect(keys.decision(on: candidate(), by: number).endsFetchesAfter != nil)
    expectNil(keys.decision(on: candidate("b"), by: number).endsFetchesAfter)
    var fenced = keys
    fenced.fenced(key("a"))
    expect(fenced.decision(on: candidate(), by: number).isRefused)
    expect(!fenced.decision(on: candidate("b"), by: number).isRefused)
    var requested = keys
    requested.requested(key("a"))
    let answer = requested.decision(on: candidate(), by: number)
    expect(!answer.isRefused && answer.endsFetchesAfter == nil)
    var marked = keys
    marked.invalidated(key("a"), at: 7)
    expectEqual(marked.decision(on: candidate(), by: number).markedAt, 7)
    _ = keys.importEnded(number)
    expect(keys.decision(on: candidate(), by: number).isRefused)
  }

  @Test mutating func aKeyThatIsNamedAgainIsStillFenced() {
    keys.fenced(key("a"))
    keys.named(["a"], by: number, at: .zero)
    expect(keys.decision(on: candidate(), by: number).isRefused)
    expect(!waits())
  }

  @Test mutating func aSweepByKeysIsAboutAllThatItSelects() {
    keys.bulkChanged(.prefix(key("a").key), invalidatedAt: nil, newestEntry: 5)
    for entry in [nil, 5, 6] as [UInt64?] {
      expect(keys.decision(on: candidate(entry: entry), by: number).isRefused)
    }
    expect(!keys.decision(on: candidate("b"), by: number).isRefused)
  }

  @Test mutating func aSweepByStateIsAboutKeysThatHadNoEntry() {
    keys.bulkChanged(.not(.active), invalidatedAt: nil, newestEntry: 5)
    expect(keys.decision(on: candidate(), by: number).isRefused)
    expect(keys.decision(on: candidate(entry: 6), by: number).isRefused)
    expect(!keys.decision(on: candidate(entry: 5), by: number).isRefused)
  }

  @Test mutating func whatBelongsToAnEndedImportMeansNothingToALaterOne() {
    for _ in 0..<20 { keys.fenced(key("other")) }
    let early = keys.started()
    _ = keys.endedAll()
    _ = keys.forgetNotes()
    let later = keys.began("later", limit: .zero)
    expect(!keys.isRunning(number))
    keys.named(["a"], by: number, at: .zero)
    expect(keys.decision(on: candidate(), by: number).isRefused)
    _ = keys.importEnded(number)
    expect(keys.isRunning(later))
    // A fetch of the time before.
    keys.named(["a"], by: later, at: .zero)
    let wait = keys.importWait(for: candidate(), startedAt: early, at: .zero)
    expectNil(wait)
    expectEqual(keys.decision(on: candidate(), by: later).endsFetchesAfter.map { $0 > early }, true)
  }

  @Test mutating func allImportsEndInTheirOrder() {
    _ = keys.began("other", limit: .zero)
    let ends = keys.endedAll()
    expectEqual(ends, ["end", "other"])
    expect(keys.isEmpty)
    expect(!waits())
  }
}
