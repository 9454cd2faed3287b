import Testing

@testable import StreamQueryShared

/// When a store is asked that was away, how the log is read, and the forms of texts and bytes.
struct SharedBreakerTests {
  private func breaker() -> SharedBreaker {
    SharedBreaker(first: .seconds(1), longest: .seconds(5), probeTimeout: .seconds(2))
  }

  @Test func pausesGrowAndHaveARandomPart() {
    var breaker = breaker()
    check(breaker.asks(at: .zero), is: true)
    check(breaker.failed(at: .zero, chance: 0), is: true)
    #expect(breaker.pause(at: .zero) == .milliseconds(500))
    var pauses: [Duration] = []
    var now = Duration.milliseconds(500)
    for _ in 0..<4 {
      check(breaker.asks(at: now), is: true)
      check(breaker.failed(at: now, chance: 1), is: false)
      let pause = breaker.pause(at: now) ?? .zero
      pauses.append(pause)
      now += pause
    }
    #expect(pauses == [.seconds(2), .seconds(4), .seconds(5), .seconds(5)])
  }

  @Test func oneCallLooksWhetherTheStoreIsBack() {
    var breaker = breaker()
    _ = breaker.failed(at: .zero, chance: 1)
    check(breaker.asks(at: .milliseconds(999)), is: false)
    check(breaker.asks(at: .seconds(1)), is: true)
    check(breaker.asks(at: .seconds(1)), is: false)
    // It was cancelled, or never said what became of it.
    check(breaker.asks(at: .seconds(3)), is: true)
    check(breaker.succeeded(), is: true)
    check(breaker.asks(at: .seconds(3)), is: true)
    check(breaker.succeeded(), is: false)
  }

  @Test func callsThatWereUnderWayMakeNoLongerPause() {
    var breaker = breaker()
    check(breaker.failed(at: .zero, chance: 1), is: true)
    for _ in 0..<10 { check(breaker.failed(at: .milliseconds(1), chance: 1), is: false) }
    #expect(breaker.pause(at: .zero) == .seconds(1))
  }

  // MARK: The log

  private func changes(
    _ history: String,
    _ end: UInt64,
    _ messages: [UInt64] = [],
    isGap: Bool = false
  ) -> SharedChanges {
    func version(_ number: UInt64) -> SharedVersion {
      SharedVersion(milliseconds: number, sequence: 0)
    }
    return SharedChanges(
      messages: messages.map { SharedMessage(version($0), .written(key: "k")) },
      position: SharedPosition(history: SharedHistory(history), version: version(end)),
      isGap: isGap
    )
  }

  @Test func aGapIsWhatCannotFollow() {
    let cases: [(SharedChanges, SharedLog.Step)] = [
      (changes("a", 5), .complete),
      (changes("a", 7, [6, 7]), .complete),
      (changes("a", 7, [6, 7], isGap: true), .unknown(isGap: true)),
      (changes("b", 9), .unknown(isGap: true)),
      (changes("a", 4), .unknown(isGap: true)),
      (changes("a", 7, [5, 7]), .unknown(isGap: true)),
      (changes("a", 7, [7, 6]), .unknown(isGap: true)),
    ]
    for (changes, step) in cases {
      var log = SharedLog()
      check(log.began(), is: true)
      check(log.began(), is: false)
      check(log.read(self.changes("a", 5), askedAt: .zero), is: .unknown(isGap: false))
      check(log.read(changes, askedAt: .seconds(1)), is: step)
      #expect(log.position == changes.position)
      #expect(log.completeAt == .seconds(1))
    }
  }

  @Test func aReaderThatIsBehindIsNotComplete() {
    var log = SharedLog()
    _ = log.began()
    _ = log.read(changes("a", 5), askedAt: .zero)
    var some = changes("a", 7, [6, 7])
    some.hasMore = true
    check(log.read(some, askedAt: .seconds(9)), is: .complete)
    #expect(log.completeAt == .zero)
  }

  // MARK: Texts and bytes

  @Test func beginningsOfAKeysText() {
    #expect(KeyBeginnings.all(of: "[]") == [""])
    #expect(KeyBeginnings.all(of: #"["a"]"#) == ["", #"["a""#])
    #expect(
      KeyBeginnings.all(of: #"["a,]\"",[1,2],{"b":[3]},null]"#)
        == [
          "", #"["a,]\"""#, #"["a,]\"",[1,2]"#, #"["a,]\"",[1,2],{"b":[3]}"#,
          #"["a,]\"",[1,2],{"b":[3]},null"#,
        ]
    )
  }

  @Test func noTwoNamespacesHaveATextInCommon() {
    let spaces = ["", "a", "a:", "1:a", "ab", "1:a:k"]
    let texts = spaces.flatMap { space -> [String] in
      let names = SharedNames(space)
      let key = names.key("T[\"x\"]", parts: "[\"x\"]", tags: ["x", "[\"x\""], form: "k")
      return [key.text] + key.marks.map(\.text)
    }
    #expect(Set(texts).count == texts.count)
    // A tag may have any text, that of another namespace's mark too.
    #expect(SharedNames("a").mark(ofTag: "x:kT") != SharedNames("a:tx").mark(ofKey: "T"))
  }

  @Test func aKeysMarksAreThoseThatAreInvalidated() {
    let names = SharedNames("n")
    let key = names.key("T[1,2]", parts: "[1,2]", tags: ["t", "t"], form: "f")
    let expected = [
      names.mark(ofKey: "T[1,2]"), names.mark(ofPrefix: "[]"), names.mark(ofPrefix: "[1]"),
      names.mark(ofPrefix: "[1,2]"), names.mark(ofTag: "t"),
    ]
    #expect(key.marks == expected)
  }

  @Test func theHeadOfAnEntrySurvives() {
    let envelope = SharedEnvelope([1, 2, 3], age: .milliseconds(1_500), duration: .seconds(2))
    #expect(SharedEnvelope(envelope.bytes) == envelope)
    #expect(SharedEnvelope([1, 2], age: .seconds(-1)).age == .zero)
    #expect(SharedEnvelope([2] + envelope.bytes.dropFirst()) == nil)
    #expect(SharedEnvelope(Array(envelope.bytes.prefix(16))) == nil)
    #expect(SharedEnvelope([1] + Array(repeating: 255, count: 16)) == nil)
    let old = SharedEnvelope([], age: .seconds(Int64.max))
    #expect(SharedEnvelope(old.bytes)?.age == .nanoseconds(Int64.max))
  }

  @Test func theTextOfAFailureIsBoundedAndOfAnyForm() {
    for text in ["=x", "!x", "#x", "#1:x", ""] {
      #expect(SharedFailure(SharedFailure.failed(.init(text)).text) == .failed(.init(text)))
    }
    #expect(SharedFailure(SharedFailure.unshareable.text) == .unshareable)
    for text in [
      "of a stranger", "", "#", "#:x", "#2:x", "#-1:x", "#x", "#1:é", "#99999999999999999999:",
      "#9223372036854775807:x", "#9223372036854775806:",
    ] {
      #expect(SharedFailure(text) == .failed(.init(text)))
    }
    let long = SharedFailure(String(repeating: "x", count: 100_000))
    #expect(long == .failed(.init(String(repeating: "x", count: 1_000))))
  }

  @Test func theCodeOfAFailureGoesWithItsText() {
    for code in ["404", "", "1:2", "é:é", "not found"] {
      let failure = SharedFailure.failed(.init("#3:x é", code: code))
      #expect(SharedFailure(failure.text) == failure)
    }
    let long = SharedFailure.failed(.init("x", code: String(repeating: "c", count: 1_000)))
    #expect(
      SharedFailure(long.text) == .failed(.init("x", code: String(repeating: "c", count: 100)))
    )
  }
}
