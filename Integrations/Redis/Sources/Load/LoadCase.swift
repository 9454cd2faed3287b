/// Something that callers do again and again.
struct LoadCase: Sendable {
  /// A call: no other has the same numbers.
  struct Call: Sendable {
    var round: Int
    var caller: Int
    var number: Int

    /// A text that no other call has.
    var text: String { "\(round).\(caller).\(number)" }
  }

  /// What is called.
  let name: String
  /// How many callers there are at once.
  let callers: Int
  /// Whether each caller calls only once, instead of for a while.
  var isCrowd = false
  /// Counts what calls come to.
  let tally: LoadTally
  /// What happens before each call, and is not a part of its time.
  var prepare: @Sendable (Call) -> Void = { _ in }
  /// A call.
  let call: @Sendable (Call) async throws -> Void

  /// Calls: each caller as soon as its last call has ended.
  ///
  /// - Parameters:
  ///   - round: The number of the round.
  ///   - time: For how long.
  /// - Returns: What it took.
  /// - Throws: What a call throws.
  func measure(round: Int, for time: Duration) async throws -> LoadRound {
    _ = tally.take()
    let start = ContinuousClock.now
    let end = isCrowd ? start : start + time
    let times = try await withThrowingTaskGroup(of: [Duration].self) { groups in
      // A group looks through all its tasks when one ends.
      for first in stride(from: 0, to: callers, by: 100) {
        let some = first..<min(first + 100, callers)
        groups.addTask { try await durations(of: some, round, until: end) }
      }
      return try await groups.reduce(into: [Duration]()) { $0 += $1 }
    }
    return LoadRound(times, in: .now - start, tally.take())
  }

  /// How long the calls of some callers take.
  private func durations(
    of callers: Range<Int>,
    _ round: Int,
    until end: ContinuousClock.Instant
  ) async throws -> [Duration] {
    try await withThrowingTaskGroup(of: [Duration].self) { group in
      for caller in callers {
        group.addTask { try await durations(of: caller, round, until: end) }
      }
      return try await group.reduce(into: [Duration]()) { $0 += $1 }
    }
  }

  /// How long the calls of a caller take: one at least.
  private func durations(
    of caller: Int,
    _ round: Int,
    until end: ContinuousClock.Instant
  ) async throws -> [Duration] {
    var times: [Duration] = []
    var next = Call(round: round, caller: caller, number: 0)
    repeat {
      prepare(next)
      let begun = ContinuousClock.now
      try await call(next)
      times.append(.now - begun)
      next.number += 1
    } while ContinuousClock.now < end
    return times
  }
}
