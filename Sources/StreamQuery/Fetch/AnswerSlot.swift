import Synchronization

/// What the present attempt of a fetch said about the age of its answer.
final class AnswerSlot: Sendable {
  private struct State {
    var attempt = 0
    var age: AnswerAge?
  }

  /// Whether anything was said: most fetches say nothing, and pay for no more than this.
  private let isUsed = Atomic(false)
  private let state = Mutex(State())

  /// What was said by the present attempt.
  var age: AnswerAge? {
    guard isUsed.load(ordering: .acquiring) else { return nil }
    return state.withLock { $0.age }
  }

  /// An attempt begins: what earlier ones said does not count any more.
  func began(_ attempt: Int) {
    state.withLock { $0 = State(attempt: attempt) }
  }

  /// An attempt said how old its answer is; ignored if another one has begun.
  func said(_ age: AnswerAge, by attempt: Int) {
    state.withLock { state in
      if state.attempt == attempt { state.age = age }
    }
    isUsed.store(true, ordering: .releasing)
  }
}
