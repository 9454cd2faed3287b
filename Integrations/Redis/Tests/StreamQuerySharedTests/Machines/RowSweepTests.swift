import Testing

@testable import StreamQueryShared

/// When rows are looked through.
struct RowSweepTests {
  @Test func aLookBeginsAtTwiceWhatTheLastOneLeft() {
    var sweep = RowSweep()
    check(sweep.begins(rows: 1_023, bytes: (1 << 20) - 1), is: false)
    check(sweep.begins(rows: 1_024, bytes: 0), is: true)
    sweep.ended(rows: 1_000, bytes: 1 << 20)
    check(sweep.begins(rows: 1_999, bytes: (1 << 21) - 1), is: false)
    check(sweep.begins(rows: 1, bytes: 1 << 21), is: true)
    sweep.ended(rows: 1, bytes: 1)
    check(sweep.begins(rows: 1_024, bytes: 1), is: true)
  }

  @Test func thereIsOneLookAtATime() {
    var sweep = RowSweep()
    check(sweep.begins(rows: 5_000, bytes: 0), is: true)
    check(sweep.begins(rows: 5_001, bytes: 1 << 30), is: false)
    sweep.ended(rows: 2_000, bytes: 0)
    check(sweep.begins(rows: 4_000, bytes: 0), is: true)
  }
}
