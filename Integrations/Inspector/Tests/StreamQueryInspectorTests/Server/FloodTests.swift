import Foundation
import StreamQuery
import Synchronization
import Testing

@testable import StreamQueryInspector

/// An inspector of a client that does more than a page can be told.
///
/// The test measures real time, and keeps all processors busy. So it runs only with `INSPECTOR_FLOOD=1`, and
/// expects its rate only of a release build.
@Suite(
  .enabled(if: ProcessInfo.processInfo.environment["INSPECTOR_FLOOD"] == "1"),
  .timeLimit(.minutes(2))
)
struct FloodTests {
  private static let capacity = 10_000

  private let client: QueryClient
  private let clock = ContinuousClock()

  init() {
    var configuration = QueryClient.Configuration(connectivity: .alwaysOnline)
    configuration.record = .last(Self.capacity)
    client = QueryClient(configuration: configuration)
  }

  /// The number of the client's last event.
  private var last: Int {
    let record = client.record
    return record.firstNumber + record.events.count - 1
  }

  /// Measures the events in a second while a closure runs.
  private func rate(_ name: String, during body: () async throws -> Void) async throws {
    let first = last
    let time = try await clock.measure(body)
    let rate = Int(Double(last - first) / (time / .seconds(1)))
    print("\(name): \(rate) events a second, at most \(try peakMemory() >> 20) MiB so far")
    #if !DEBUG
    #expect(rate >= 1_000_000)
    #endif
  }

  @Test func aMillionEventsASecondCostNoMemoryAndNoWaitBeforeASlowPage() async throws {
    let inspector = Inspector(client, in: .allBuilds) { _ in }
    let link = try #require(try await inspector.link)
    let page = try await Browser(link)
    let flood = Flood(of: client, threads: 2)
    try await rate("without a page") { try await clock.sleep(for: .seconds(2)) }
    let before = try peakMemory()
    try await page.send("GET /events")
    try await page.read(until: "\r\n\r\n")
    try await rate("a page that does not read") { try await clock.sleep(for: .seconds(3)) }
    var reader = EventReader()
    func readSlowly(for time: Duration) async throws {
      let end = clock.now + time
      while clock.now < end {
        for _ in 0..<16 { try await reader.take(page.read(atMost: 4_096)) }
        try await clock.sleep(for: .milliseconds(50))
      }
    }
    try await rate("a page that reads slowly") { try await readSlowly(for: .seconds(3)) }
    let middle = try peakMemory()
    try await rate("three seconds later") { try await readSlowly(for: .seconds(3)) }
    let after = try peakMemory()
    let longest = await flood.end()
    let end = last
    while reader.last < end { try await reader.take(page.read(atMost: 4_096)) }
    print(
      "\(reader.parts) parts with \(reader.shown) events, \(reader.lost) lost, of \(end);",
      "1,000 calls took at most \(longest)"
    )
    #expect(reader.isGapless && reader.shown + reader.lost == end && reader.last == end)
    #expect(reader.lost > 0 && reader.shown <= reader.parts * Self.capacity)
    #expect(before > 0 && after - before <= 96 << 20)
    #expect(after - middle <= 16 << 20)
    #expect(longest < .seconds(1))
    await inspector.stop()
  }
}

/// Threads that write and invalidate keys of a client as fast as they can.
private final class Flood: Sendable {
  private static let keyCount = 1_000

  private let isOver = Atomic(false)
  private let threads: Int
  /// The longest times of the threads that have ended.
  private let ends: AsyncStream<Duration>

  init(of client: QueryClient, threads: Int) {
    let (ends, end) = AsyncStream<Duration>.makeStream()
    (self.threads, self.ends) = (threads, ends)
    for thread in 0..<threads {
      Thread.detachNewThread { [self] in end.yield(write(to: client, thread)) }
    }
  }

  /// Ends the threads.
  ///
  /// - Returns: The longest time that a thread took to write each of its keys and to invalidate all of them.
  func end() async -> Duration {
    isOver.store(true, ordering: .relaxed)
    return await ends.prefix(threads).reduce(.zero) { max($0, $1) }
  }

  private func write(to client: QueryClient, _ thread: Int) -> Duration {
    let keys = (0..<Self.keyCount).map { QueryKey<Int>("flood", thread, $0) }
    let all = QueryFilter.prefix(["flood", thread])
    let clock = ContinuousClock()
    var (number, longest) = (0, Duration.zero)
    while !isOver.load(ordering: .relaxed) {
      let time = clock.measure {
        for key in keys { client.setData(number, for: key) }
        client.markInvalidated(all, refetch: .never)
      }
      (number, longest) = (number + 1, max(longest, time))
    }
    return longest
  }
}
