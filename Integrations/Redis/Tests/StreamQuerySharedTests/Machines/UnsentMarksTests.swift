import Testing

@testable import StreamQueryShared

/// Invalidations that wait for the store.
struct UnsentMarksTests {
  private let everything = SharedMark("everything")

  private func marks(_ numbers: Range<Int>) -> [SharedMark] {
    numbers.map { SharedMark("mark \(10_000 + $0)") }
  }

  @Test func theyAreSentOnceAndInOrder() {
    var unsent = UnsentMarks()
    unsent.keep(marks(5..<7), orElse: everything)
    unsent.keep(marks(4..<6), orElse: everything)
    check(unsent.isEmpty, is: false)
    check(UnsentMarks.parts(of: unsent.take()), is: [marks(4..<7)])
    check(unsent.isEmpty, is: true)
    check(UnsentMarks.parts(of: unsent.take()), is: [])
  }

  @Test func ofTooManyEverythingIsSent() {
    var unsent = UnsentMarks(limit: 3)
    unsent.keep(marks(0..<3), orElse: everything)
    unsent.keep(marks(2..<3), orElse: everything)
    check(UnsentMarks.parts(of: unsent.take()), is: [marks(0..<3)])
    unsent.keep(marks(0..<4), orElse: everything)
    unsent.keep(marks(0..<2), orElse: everything)
    check(UnsentMarks.parts(of: unsent.take()), is: [[everything]])
    unsent.keep(marks(0..<2), orElse: everything)
    unsent.keep([everything], orElse: everything)
    check(UnsentMarks.parts(of: unsent.take()), is: [[everything]])
  }

  @Test func ofTooLongOnesEverythingIsSent() {
    // Each has ten bytes.
    var unsent = UnsentMarks(byteLimit: 40)
    unsent.keep(marks(0..<4), orElse: everything)
    unsent.keep(marks(0..<4), orElse: everything)
    check(unsent.remove(marks(0..<2)), is: marks(0..<2))
    check(unsent.remove(marks(0..<2)), is: [])
    unsent.keep(marks(4..<6), orElse: everything)
    check(UnsentMarks.parts(of: unsent.take()), is: [marks(2..<6)])
    unsent.keep(marks(0..<5), orElse: everything)
    check(UnsentMarks.parts(of: unsent.take()), is: [[everything]])
    unsent.keep(marks(0..<4), orElse: everything)
    check(UnsentMarks.parts(of: unsent.take()), is: [marks(0..<4)])
  }

  @Test func whatIsSentMeanwhileIsForgotten() {
    var unsent = UnsentMarks()
    unsent.keep(marks(0..<4), orElse: everything)
    check(unsent.remove(marks(2..<6)), is: marks(2..<4))
    check(unsent.remove(marks(2..<6)), is: [])
    check(UnsentMarks.parts(of: unsent.take()), is: [marks(0..<2)])
  }

  @Test func partsAreBoundedAndLargeMarksAreAlone() {
    var unsent = UnsentMarks()
    let large = SharedMark(String(repeating: "a", count: 5_000))
    unsent.keep(marks(0..<100) + [large], orElse: everything)
    let parts = UnsentMarks.parts(of: unsent.take(), bytes: 1_000)
    #expect(parts.first == [large])
    #expect(parts.dropFirst().flatMap { $0 } == marks(0..<100))
    #expect(parts.dropFirst().allSatisfy { $0.reduce(0) { $0 + $1.text.utf8.count + 64 } <= 1_000 })
  }
}
