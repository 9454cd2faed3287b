import StreamQueryTesting
import Testing

@_spi(Adapters) @testable import StreamQuery
import StreamQueryPersistence

/// What waits by the clock of a client.
struct DeadlineClockTests {
  private let simulation = Simulation()

  private func makeClock() -> DeadlineClock {
    DeadlineClock(
      deadlines: Deadlines(clock: ErasedClock(simulation.clock), executor: simulation.executor)
    )
  }

  @Test func sleepersWakeExactlyAndInOrder() {
    let (clock, notes) = (makeClock(), Notes<String>())
    for seconds in [3, 1, 2] {
      _ = simulation.task {
        try await clock.sleep(for: .seconds(seconds))
        notes.add("\(clock.now.offset)")
      }
    }
    simulation.advance(by: .seconds(5))
    expectEqual(notes.all, ["1.0 seconds", "2.0 seconds", "3.0 seconds"])
  }

  @Test func aDeadlineIsNotEarlyByLessThanANanosecond() {
    let notes = Notes<Duration>()
    let wait = Duration(secondsComponent: 1, attosecondsComponent: 1)
    let deadlines = makeClock().deadlines
    let deadline = deadlines.set(after: wait) { [simulation] in notes.add(simulation.now) }
    simulation.advance(by: .seconds(2))
    expectEqual(notes.all, [.seconds(1) + .nanoseconds(1)])
    deadline?.cancel()
  }

  @Test func aCancelledSleepEndsAtOnceAndTheOthersSleepOn() throws {
    let (clock, notes) = (makeClock(), Notes<String>())
    let first = simulation.task { try await clock.sleep(for: .seconds(1)) }
    _ = simulation.task {
      try await clock.sleep(for: .seconds(2))
      notes.add("\(clock.now.offset)")
    }
    simulation.settle()
    first.cancel()
    #expect(throws: CancellationError.self) { try simulation.run { try await first.value } }
    expectEqual(simulation.now, .zero)
    simulation.advance(by: .seconds(5))
    expectEqual(notes.all, ["2.0 seconds"])
  }

  @Test func aTaskThatIsCancelledBeforeDoesNotSleep() {
    let clock = makeClock()
    let task = simulation.task { try await clock.sleep(for: .seconds(1)) }
    task.cancel()
    #expect(throws: CancellationError.self) { try simulation.run { try await task.value } }
    expectEqual(simulation.now, .zero)
  }

  @Test(arguments: [Duration.zero, .seconds(-1), Duration(attoseconds: .min)])
  func aTimeThatIsOverIsNotWaitedFor(_ duration: Duration) throws {
    let clock = makeClock()
    try simulation.run { try await clock.sleep(for: duration) }
    expectEqual(simulation.now, .zero)
  }

  /// Law 11.
  @Test(arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max)])
  func anEnormousSleepIsCancelledLikeAnyOther(_ duration: Duration) {
    let clock = makeClock()
    let task = simulation.task { try await clock.sleep(for: duration) }
    simulation.settle()
    task.cancel()
    #expect(throws: CancellationError.self) { try simulation.run { try await task.value } }
  }

  @Test func aSleepIsNeverTooShortByPartsOfANanosecond() throws {
    let clock = makeClock()
    let deadline = clock.now.advanced(by: Duration(attoseconds: 1_500_000_000))
    try simulation.run { try await clock.sleep(until: deadline, tolerance: nil) }
    #expect(clock.now >= deadline)
    expectEqual(clock.now.offset, .nanoseconds(2))
  }

  /// Instants far away are limited, and sums of them overflow nothing.
  @Test func instantsAreLimited() {
    let now = makeClock().now
    let (far, past) = (now.advanced(by: .seconds(Int64.max)), now.advanced(by: .seconds(Int64.min)))
    #expect(past < now && now < far)
    expectEqual(far.advanced(by: .seconds(Int64.max)), far)
    expectEqual(now.duration(to: far), .zero - now.duration(to: past))
  }

  /// A clock of somebody else that throws.
  struct BrokenClock: Clock {
    struct Instant: InstantProtocol {
      var offset = Duration.zero

      func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
      func duration(to other: Self) -> Duration { other.offset - offset }
      static func < (lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }
    }

    var now: Instant { Instant() }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws { throw Boom(1) }
  }

  @Test func theErrorOfAClockThatFailsIsThrownAndDeadlinesNeverCome() {
    let deadlines = Deadlines(clock: ErasedClock(BrokenClock()), executor: simulation.executor)
    let notes = Notes<String>()
    let deadline = deadlines.set(TimeSpan(.seconds(1))) { notes.add("came") }
    #expect(throws: Boom(1)) {
      try simulation.run {
        try await DeadlineClock(deadlines: deadlines).sleep(for: .seconds(2))
      }
    }
    deadline?.cancel()
    expectEqual(notes.all, [])
  }

  @Test func aDeadlineThatIsCancelledReleasesItsWork() {
    let deadlines = makeClock().deadlines
    var object: Notes<Int>? = Notes<Int>()
    weak let released = object
    let deadline = deadlines.set(TimeSpan(.seconds(1))) { [object] in object?.add(1) }
    object = nil
    expect(released != nil)
    deadline?.cancel()
    expectNil(released)
    withExtendedLifetime(deadlines) {}
  }

  @Test func anInfiniteSpanIsNoDeadline() {
    expectNil(makeClock().deadlines.set(.infinite) {})
  }

  @Test func accountsShareDeadlinesAndAClosedOneLeavesNone() async throws {
    let accounts = QueryAccounts(
      in: MemoryStore(),
      configuration: .init(connectivity: .alwaysOnline, activity: .alwaysActive)
    )
    let (ada, bob) = (try await accounts.open("ada"), try await accounts.open("bob"))
    for client in [ada.client, bob.client] { client.setData(1, for: QueryKey<Int>("n")) }
    let shared = try #require(ada.client.configuration.sharedDeadlines)
    #expect(bob.client.configuration.sharedDeadlines === shared)
    try await ada.close()
    try await bob.close()
    expectEqual(shared.count, 0)
  }
}
