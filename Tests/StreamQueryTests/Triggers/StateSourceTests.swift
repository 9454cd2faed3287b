import Testing

@testable import StreamQuery

/// T80, T81: sources of a caller's own, and constant ones.
struct StateSourceTests {
  private struct Broken: Error {}

  @Test func aConstantSourceSaysItsStateAndFinishes() async {
    expect(Connectivity.alwaysOnline.isConstant)
    expect(Connectivity.alwaysOnline.initial)
    await expectEqual(heard(Connectivity.alwaysOnline.states()), [true])
    expect(AppActivity.alwaysActive.isConstant)
    expect(AppActivity.alwaysActive.initial)
    await expectEqual(heard(AppActivity.alwaysActive.states()), [true])
  }

  /// X28: a client that has not heard yet is online, so an offline start is no false reconnection.
  @Test func aSourceThatHasNotSpokenIsOnlineAndActive() {
    let silent = AsyncStream<Bool> { _ in }
    expect(Connectivity { silent }.initial)
    expect(!Connectivity { silent }.isConstant)
    expect(AppActivity { silent }.initial)
    expect(!AppActivity { silent }.isConstant)
  }

  @Test func equalStatesInARowCountOnce() async {
    let connectivity = Connectivity { stream(of: [false, false, true, true, true, false]) }
    await expectEqual(heard(connectivity.states()), [false, true, false])
  }

  @Test func everyListenerGetsASequenceOfItsOwn() async {
    let activity = AppActivity { stream(of: [true, false]) }
    await expectEqual(heard(activity.states()), [true, false])
    await expectEqual(heard(activity.states()), [true, false])
    let states = activity.states()
    await expectEqual(heard(states), [true, false])
    await expectEqual(heard(states), [true, false])
  }

  @Test func aFailureEndsTheStatesLikeAnEnd() async {
    let connectivity = Connectivity {
      AsyncThrowingStream<Bool, any Error> { continuation in
        continuation.yield(false)
        continuation.finish(throwing: Broken())
      }
    }
    await expectEqual(heard(connectivity.states()), [false])
  }

  @Test func aFinishedSourceIsNotAskedAgain() async {
    let source = StateSource { Restarting() }
    var iterator = source.states.makeAsyncIterator()
    await expectEqual(iterator.next(isolation: nil), true)
    await expectNil(iterator.next(isolation: nil))
    await expectNil(iterator.next(isolation: nil))
  }

  /// Notification sequences and the like are not `Sendable`; they are made where they are heard.
  @Test func aSequenceNeedNotBeSendable() async {
    let activity = AppActivity { Restarting() }
    await expectEqual(heard(activity.states()), [true])
  }

  /// Ends and starts over, as an iterator may, and is not `Sendable`.
  private struct Restarting: AsyncSequence {
    struct Iterator: AsyncIteratorProtocol {
      var count = 0

      mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Bool? {
        count += 1
        return count.isMultiple(of: 2) ? nil : true
      }
    }

    /// Keeps the compiler from finding it `Sendable`.
    var marker: UnsafeRawPointer?

    func makeAsyncIterator() -> Iterator { Iterator() }
  }
}

private func stream(of states: [Bool]) -> AsyncStream<Bool> {
  AsyncStream { continuation in
    for state in states { continuation.yield(state) }
    continuation.finish()
  }
}

private func heard(_ states: some AsyncSequence<Bool, Never>) async -> [Bool] {
  var heard: [Bool] = []
  for await state in states { heard.append(state) }
  return heard
}
