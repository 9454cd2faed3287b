import Synchronization

/// The upcoming answer of an attempt, see `FetchContext.upcomingAnswer`.
///
/// The server's data may change before the answer becomes the data of the cache, and the fetch may be
/// cancelled. Code that learns of such changes keeps this object. With it, the code can mark the answer as
/// outdated, and see whether the answer became the data. The object keeps neither the client nor the query
/// alive.
@_spi(SharedCache) public struct FetchAnswer: Sendable {
  let slot: AnswerSlot
  let attempt: Int

  /// Marks the answer as outdated, because something has changed since.
  ///
  /// If the answer has not become the data yet, it will count as invalidated when it does: it is shown and
  /// returned, but stale. If it is the data already, this call does nothing. So invalidate the data after
  /// this call, with ``QueryClient/markInvalidated(_:refetch:superseding:)`` and without superseding. The
  /// two calls together miss no answer and cancel no caller.
  ///
  /// - If that invalidation asks for a refetch while the fetch runs, one more fetch follows, if there is an
  ///   enabled observer.
  /// - For an endless stream, this call marks only the first element: each later one is an answer of its
  ///   own.
  public func markOutdated() { slot.outdated(attempt) }

  /// Whether the answer became the data, even if the data has changed since; `false` if the fetch
  /// was cancelled or replaced.
  public var hasLanded: Bool { slot.hasLanded(attempt) }
}

/// The slot in which the present attempt of a fetch reports the age of its answer.
final class AnswerSlot: Sendable {
  /// The part of the answer that became the data last.
  private enum Landed {
    case answer
    /// An element of an endless stream: the next element is an answer of its own.
    case element
  }

  private struct State {
    var attempt = 0
    /// The attempt with which the present answer began; later attempts may have continued it.
    var first = 0
    var age: AnswerAge?
    var isOutdated = false
    var landed: Landed?
    /// The attempts that exceeded their timeout, one bit each; attempts with a number from 63 on share the
    /// last bit.
    var late: UInt64 = 0

    /// Whether an attempt contributes to the present answer.
    func includes(_ attempt: Int) -> Bool { attempt >= first && attempt <= self.attempt }
  }

  private let state = Mutex(State())

  /// The number of the newest attempt.
  var attempt: Int { state.withLock { $0.attempt } }

  /// The age that the present attempt reported.
  var age: AnswerAge? {
    state.withLock { state in
      guard state.isOutdated else { return state.age }
      // If no age was reported, the answer counts as new when it becomes the data.
      let now = Timestamp(instant: Instant(nanoseconds: .max), date: .infinity)
      return AnswerAge(updatedAt: state.age?.updatedAt ?? now, isOutdated: true)
    }
  }

  /// Begins an attempt: the ages of earlier answers do not count any more.
  ///
  /// - Parameters:
  ///   - attempt: The attempt.
  ///   - keepsPart: Whether the attempt continues from the progress of earlier ones, which may be outdated.
  func began(_ attempt: Int, keepsPart: Bool) {
    state.withLock { state in
      // An earlier attempt may have had the same number, because an endless stream counts its
      // attempts anew. Several attempts share the last bit, so that bit stays.
      let others = attempt < 63 ? state.late & ~Self.bit(of: attempt) : state.late
      state = State(
        attempt: attempt,
        first: keepsPart ? state.first : attempt,
        isOutdated: keepsPart && state.isOutdated,
        late: others
      )
    }
  }

  /// Records that an attempt exceeded its timeout, and is going to be cancelled.
  func tookTooLong(_ attempt: Int) { state.withLock { $0.late |= Self.bit(of: attempt) } }

  /// Whether an attempt exceeded its timeout, even if others have begun since.
  func wasTooLong(_ attempt: Int) -> Bool {
    state.withLock { $0.late & Self.bit(of: attempt) != 0 }
  }

  private static func bit(of attempt: Int) -> UInt64 { 1 << UInt64(min(max(attempt, 0), 63)) }

  /// Stores the age that an attempt reports for its answer; does nothing if another attempt has begun.
  func said(_ age: AnswerAge, by attempt: Int) {
    state.withLock { state in
      if state.attempt == attempt { state.age = age }
    }
  }

  /// Makes the answer of an attempt count as outdated, because the server's data has changed.
  func outdated(_ attempt: Int) {
    state.withLock { state in
      if state.includes(attempt), state.landed != .element { state.isOutdated = true }
    }
  }

  /// Records that the answer of the present attempt, or a part of the answer, became the data.
  ///
  /// - Parameter isEndless: Whether the next part is an answer of its own, which is not outdated.
  func answerLanded(isEndless: Bool) {
    state.withLock { state in
      state.landed = isEndless ? .element : .answer
      if isEndless { state.isOutdated = false }
    }
  }

  /// Whether the answer of an attempt became the data.
  func hasLanded(_ attempt: Int) -> Bool {
    state.withLock { $0.landed != nil && $0.includes(attempt) }
  }
}
