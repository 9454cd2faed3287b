/// A call that callers repeat.
struct LoadCase: Sendable {
  /// The three numbers that together identify a call.
  struct Call: Sendable {
    var round: Int
    var caller: Int
    var number: Int

    /// A text that no other call has.
    var text: String { "\(round).\(caller).\(number)" }
  }

  /// The name of the call.
  let name: String
  /// The number of concurrent callers.
  let callers: Int
  /// Whether each caller calls only once.
  var isCrowd = false
  /// Counts the answers of the calls.
  let tally: LoadTally
  /// Runs before each call, and is not measured.
  var prepare: @Sendable (Call) -> Void = { _ in }
  /// The call.
  let call: @Sendable (Call) async throws -> Void

  /// Repeats the call: each caller begins the next one when its last one has ended.
  ///
  /// - Parameters:
  ///   - round: The number of the round.
  ///   - time: The duration of the round.
  /// - Returns: The measurement.
  /// - Throws: The error of a call.
  func measure(round: Int, for time: Duration) async throws -> LoadRound {
    _ = tally.take()
    let start = ContinuousClock.now
    let end = isCrowd ? start : start + time
    let times = try await withThrowingTaskGroup(of: [Duration].self) { groups in
      // A group searches all of its tasks when one ends, so each group has a hundred tasks at most.
      for first in stride(from: 0, to: callers, by: 100) {
        let some = first..<min(first + 100, callers)
        groups.addTask { try await durations(of: some, round, until: end) }
      }
      return try await groups.reduce(into: [Duration]()) { $0 += $1 }
    }
    return LoadRound(times, in: .now - start, tally.take())
  }

  /// The durations of the calls of some callers.
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

  /// The durations of the calls of a caller, at least one.
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
