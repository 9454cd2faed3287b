import Testing

@testable import StreamQueryRedis

struct LostAttemptsTests {
  @Test func whatIsLostIsKnownUntilALaterAttemptIsAnswered() {
    var attempts = LostAttempts()
    attempts.lost("1", of: "a")
    attempts.lost("2", of: "a")
    attempts.lost("3", of: "b")
    let known = attempts.of("a")
    #expect(known == ["1", "2"])
    // Another one is lost while the next one is under way.
    attempts.lost("4", of: "a")
    attempts.settled(known, of: "a")
    #expect(attempts.of("a") == ["4"])
    #expect(attempts.of("b") == ["3"])
    attempts.settled(["4"], of: "a")
    attempts.settled(["3"], of: "b")
    #expect(attempts == LostAttempts())
  }

  @Test func neitherKeysNorAttemptsPileUp() {
    var attempts = LostAttempts()
    for number in 0..<20 { attempts.lost("\(number)", of: "a") }
    #expect(attempts.of("a") == (12..<20).map { "\($0)" })
    for number in 0..<LostAttempts.keys { attempts.lost("x", of: "\(number)") }
    #expect(attempts.of("a") == [])
    #expect(attempts.of("0") == ["x"])
  }
}
