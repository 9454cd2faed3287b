import StreamQuery
import StreamQueryOperators
import Synchronization
import Testing

/// A clock may jump (contract law 11): no operator traps, and each comes to its end.
struct OperatorTimeTests {
  /// A clock that shows given times, one at each look, and whose sleepers wake at once.
  private final class WildClock: Clock, Sendable {
    struct Instant: InstantProtocol {
      var offset: Duration

      func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
      func duration(to other: Self) -> Duration { other.offset - offset }
      static func < (lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }
    }

    private let times: Mutex<[Duration]>

    init(_ times: [Duration]) {
      self.times = Mutex(times)
    }

    var now: Instant {
      Instant(offset: times.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .zero })
    }

    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
  }

  private static let jumps: [[Duration]] = [
    [.zero, Duration(attoseconds: .max / 2), Duration(attoseconds: .max)],
    [.zero, .seconds(Int64.max), .seconds(1), Duration(attoseconds: .max)],
    [.zero, .seconds(10), .seconds(-100), Duration(attoseconds: .min / 4), .zero],
  ]

  private var numbers: AsyncStream<Int> {
    AsyncStream { continuation in
      for number in 0..<5 { continuation.yield(number) }
      continuation.finish()
    }
  }

  @Test(arguments: jumps)
  func debounceLosesNoLastElement(_ times: [Duration]) async {
    var last: Int?
    for await number in numbers.debounce(for: .seconds(1), clock: WildClock(times)) {
      last = number
    }
    expectEqual(last, 4)
  }

  @Test(arguments: jumps, [ThrottleEdges.leading, .trailing, .both])
  func throttleEnds(_ times: [Duration], _ edges: ThrottleEdges) async {
    var all: [Int] = []
    for await number in numbers.throttle(for: .seconds(1), edges: edges, clock: WildClock(times)) {
      all.append(number)
    }
    expect(!all.isEmpty && all == all.sorted())
  }

  @Test(arguments: jumps)
  func timeoutEnds(_ times: [Duration]) async {
    var count = 0
    do throws(TimeoutError) {
      for try await _ in numbers.timeout(after: .seconds(1), clock: WildClock(times)) { count += 1 }
      expectEqual(count, 5)
    } catch {
      #expect(count < 5)
    }
  }

  @Test(arguments: jumps)
  func anIntervalTicksOn(_ times: [Duration]) async {
    var ticks: [Int] = []
    for await tick in IntervalSequence(every: .nanoseconds(1), clock: WildClock(times)).prefix(6) {
      ticks.append(tick)
    }
    expect(ticks.count == 6 && Set(ticks).count == 6 && ticks == ticks.sorted())
  }
}
