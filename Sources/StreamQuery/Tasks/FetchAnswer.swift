import Synchronization

/// The answer of an attempt: `upcomingAnswer`.
///
/// Between the return of the attempt and the moment in which the answer becomes the data, something
/// may change, and the fetch may be cancelled. Whoever learns of changes keeps this, and says and
/// asks here. It keeps neither the client nor the query alive.
@_spi(SharedCache) public struct FetchAnswer: Sendable {
  let slot: AnswerSlot
  let attempt: Int

  /// Says that something has changed since.
  ///
  /// If the answer is not the data yet, it lands like data that was invalidated: it is shown and
  /// returned, and stale. If it is, nothing happens: invalidate the data after this call, with
  /// ``QueryClient/markInvalidated(_:refetch:superseding:)`` and without superseding. Together they
  /// miss no answer, and cancel no caller: if the invalidation asks for a refetch before the answer
  /// lands, one more fetch follows it while there is an enabled observer. Of an endless stream this is
  /// about the first element: each later one is an answer by itself, and counts as new.
  public func markOutdated() { slot.outdated(attempt) }

  /// Whether the answer became the data, which may have changed since; `false` if that is yet to
  /// come, and for ever if the fetch was cancelled or replaced.
  public var hasLanded: Bool { slot.hasLanded(attempt) }
}

/// What the present attempt of a fetch said about the age of its answer.
final class AnswerSlot: Sendable {
  private struct State {
    var attempt = 0
    /// The attempt with which the present answer began: a later one may go on with what it got.
    var first = 0
    var age: AnswerAge?
    var isOutdated = false
    var hasLanded = false
    /// Each element of the answer is an answer by itself.
    var isEndless = false
    /// The attempts that took too long, one bit each; from the 63rd on they have one in common.
    var late: UInt64 = 0

    /// Whether an attempt brings the present answer, or a part of it.
    func includes(_ attempt: Int) -> Bool { attempt >= first && attempt <= self.attempt }
  }

  private let state = Mutex(State())

  /// The number of the newest attempt.
  var attempt: Int { state.withLock { $0.attempt } }

  /// What was said by the present attempt.
  var age: AnswerAge? {
    state.withLock { state in
      guard state.isOutdated else { return state.age }
      // Of an answer whose age nobody told: it is as old as its landing.
      let now = Timestamp(instant: Instant(nanoseconds: .max), date: .infinity)
      return AnswerAge(updatedAt: state.age?.updatedAt ?? now, isOutdated: true)
    }
  }

  /// An attempt begins: how old the answers of earlier ones are does not count any more.
  ///
  /// - Parameters:
  ///   - attempt: The attempt.
  ///   - keepsPart: Whether it goes on with what earlier ones got, which may be outdated.
  func began(_ attempt: Int, keepsPart: Bool) {
    state.withLock { state in
      // An endless stream counts its attempts anew; the last bit is shared.
      let others = attempt < 63 ? state.late & ~Self.bit(of: attempt) : state.late
      state = State(
        attempt: attempt,
        first: keepsPart ? state.first : attempt,
        isOutdated: keepsPart && state.isOutdated,
        late: others
      )
    }
  }

  /// An attempt took longer than it may, and is going to be cancelled.
  func tookTooLong(_ attempt: Int) { state.withLock { $0.late |= Self.bit(of: attempt) } }

  /// Whether an attempt took longer than it may, however many have begun since.
  func wasTooLong(_ attempt: Int) -> Bool {
    state.withLock { $0.late & Self.bit(of: attempt) != 0 }
  }

  private static func bit(of attempt: Int) -> UInt64 { 1 << UInt64(min(max(attempt, 0), 63)) }

  /// An attempt said how old its answer is; ignored if another one has begun.
  func said(_ age: AnswerAge, by attempt: Int) {
    state.withLock { state in
      if state.attempt == attempt { state.age = age }
    }
  }

  /// Something has changed since an attempt got its answer.
  func outdated(_ attempt: Int) {
    state.withLock { state in
      let isOver = state.hasLanded && state.isEndless
      if state.includes(attempt), !isOver { state.isOutdated = true }
    }
  }

  /// The answer of the present attempt, or a part of it, became the data.
  ///
  /// - Parameter isEndless: Whether what comes next is another answer, which is not outdated.
  func landed(isEndless: Bool) {
    state.withLock { state in
      state.hasLanded = true
      state.isEndless = isEndless
      if isEndless { state.isOutdated = false }
    }
  }

  /// Whether the answer of an attempt became the data.
  func hasLanded(_ attempt: Int) -> Bool {
    state.withLock { $0.hasLanded && $0.includes(attempt) }
  }
}
