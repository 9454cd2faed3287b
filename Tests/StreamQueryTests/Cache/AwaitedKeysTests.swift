import Testing

@testable import StreamQuery

struct AwaitedKeysTests {
  private typealias Keys = AwaitedKeys<String>

  private var keys = Keys()
  private let number: Int

  init() {
    number = keys.began("end", limit: TimeSpan(.seconds(30)))
    keys.named(["a"], by: number)
  }

  private func key(_ name: String) -> EntryKey { EntryKey(QueryKey<String>(name)) }

  private func subject(_ name: String = "a", entry: UInt64? = nil) -> Keys.Subject {
    Keys.Subject(text: name, info: .absent(key(name)), entry: entry)
  }

  /// Whether a fetch of a key waits that starts now.
  private mutating func waits(_ name: String = "a") -> Bool {
    keys.limit(for: subject(name), startedAt: keys.started()) != nil
  }

  @Test mutating func onlyFetchesWaitThatStartAfterTheirKeyWasNamed() {
    let early = keys.started()
    keys.named(["a", "b"], by: number)
    let late = keys.started()
    #expect(keys.limit(for: subject("a"), startedAt: early) == TimeSpan(.seconds(30)))
    #expect(keys.limit(for: subject("b"), startedAt: early) == nil)
    #expect(keys.limit(for: subject("b"), startedAt: late) == TimeSpan(.seconds(30)))
    #expect(keys.limit(for: subject("c"), startedAt: late) == nil)
    #expect(keys.limit(for: subject("a"), startedAt: 0) == nil)
  }

  @Test mutating func aKeyIsAwaitedAsLongAsAnyImportNamesIt() {
    let other = keys.began("other", limit: TimeSpan(.seconds(60)))
    keys.named(["a"], by: other)
    let start = keys.started()
    #expect(keys.limit(for: subject(), startedAt: start) == TimeSpan(.seconds(60)))
    keys.ended(other)
    #expect(keys.limit(for: subject(), startedAt: start) == TimeSpan(.seconds(30)))
    keys.filled(leaving: [], by: number)
    #expect(keys.limit(for: subject(), startedAt: start) == nil)
    #expect(!keys.isEmpty)
    keys.ended(number)
    #expect(keys.isEmpty)
  }

  @Test mutating func whatHappensToAKeyLetsItsFetchesGo() {
    for event in 0..<4 {
      var keys = keys
      switch event {
      case 0: keys.fenced(key("a"))
      case 1: keys.requested(key("a"))
      case 2: keys.invalidated(key("a"), at: 1)
      default: keys.swept(.all, invalidatedAt: nil, newestEntry: 0)
      }
      let start = keys.started()
      #expect(keys.limit(for: subject(), startedAt: start) == nil, "\(event)")
      // A later import knows of it.
      let later = keys.began("later", limit: TimeSpan(.seconds(1)))
      keys.named(["a"], by: later)
      let next = keys.started()
      #expect(keys.limit(for: subject(), startedAt: next) == TimeSpan(.seconds(1)), "\(event)")
    }
  }

  @Test mutating func eachEventHasItsVerdict() {
    #expect(keys.verdict(on: subject(), by: number).endsFetchesAfter != nil)
    #expect(keys.verdict(on: subject("b"), by: number).endsFetchesAfter == nil)
    var fenced = keys
    fenced.fenced(key("a"))
    #expect(fenced.verdict(on: subject(), by: number).isRefused)
    #expect(!fenced.verdict(on: subject("b"), by: number).isRefused)
    var requested = keys
    requested.requested(key("a"))
    let answer = requested.verdict(on: subject(), by: number)
    #expect(!answer.isRefused && answer.endsFetchesAfter == nil)
    var marked = keys
    marked.invalidated(key("a"), at: 7)
    #expect(marked.verdict(on: subject(), by: number).markedAt == 7)
    keys.ended(number)
    #expect(keys.verdict(on: subject(), by: number).isRefused)
  }

  @Test mutating func aKeyThatIsNamedAgainIsStillFenced() {
    keys.fenced(key("a"))
    keys.named(["a"], by: number)
    #expect(keys.verdict(on: subject(), by: number).isRefused)
    #expect(!waits())
  }

  @Test mutating func aSweepIsAboutKeysThatHadNoEntry() {
    keys.swept(.prefix(key("a").key), invalidatedAt: nil, newestEntry: 5)
    #expect(keys.verdict(on: subject(), by: number).isRefused)
    #expect(keys.verdict(on: subject(entry: 6), by: number).isRefused)
    #expect(!keys.verdict(on: subject(entry: 5), by: number).isRefused)
    #expect(!keys.verdict(on: subject("b"), by: number).isRefused)
  }

  @Test mutating func manySweepsBecomeOneOfAll() {
    for place in 0..<64 {
      keys.swept(.prefix(key("x\(place)").key), invalidatedAt: nil, newestEntry: 0)
    }
    #expect(!keys.verdict(on: subject(), by: number).isRefused)
    keys.swept(.prefix(key("y").key), invalidatedAt: nil, newestEntry: 0)
    #expect(keys.verdict(on: subject(), by: number).isRefused)
  }

  @Test mutating func whatBelongsToAnEndedImportMeansNothingToALaterOne() {
    for _ in 0..<20 { keys.fenced(key("other")) }
    let early = keys.started()
    _ = keys.endedAll()
    _ = keys.forgetNotes()
    let later = keys.began("later", limit: .zero)
    #expect(!keys.isRunning(number))
    keys.named(["a"], by: number)
    #expect(keys.verdict(on: subject(), by: number).isRefused)
    keys.ended(number)
    #expect(keys.isRunning(later))
    // A fetch of the time before.
    keys.named(["a"], by: later)
    #expect(keys.limit(for: subject(), startedAt: early) == nil)
    #expect(keys.verdict(on: subject(), by: later).endsFetchesAfter.map { $0 > early } == true)
  }

  @Test mutating func allImportsEndInTheirOrder() {
    _ = keys.began("other", limit: .zero)
    let ends = keys.endedAll()
    #expect(ends == ["end", "other"])
    #expect(keys.isEmpty)
    #expect(!waits())
  }
}
