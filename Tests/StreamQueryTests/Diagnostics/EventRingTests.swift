import Foundation
import Testing

@testable import StreamQuery

struct EventRingTests {
  private func event(_ number: UInt64) -> QueryEvent {
    QueryEvent(
      number: number,
      kind: .written,
      key: "k",
      date: Date(timeIntervalSinceReferenceDate: 0),
      cause: nil,
      duration: nil
    )
  }

  private func drain(_ ring: inout EventRing) -> [String] {
    var seen: [String] = []
    while let event = ring.takeNext() {
      if case .eventsDropped(let count) = event.kind {
        seen.append("missed \(count)")
      } else {
        seen.append("\(event.number)")
      }
    }
    return seen
  }

  @Test func eventsComeOutInOrderHoweverReadsAndWritesMix() {
    var ring = EventRing()
    var expected: [String] = []
    var seen: [String] = []
    var next: UInt64 = 0
    for step in 0..<3_000 {
      for _ in 0..<(step % 7) {
        _ = ring.receive(event(next))
        expected.append("\(next)")
        next += 1
      }
      for _ in 0..<(step % 5 + 2) {
        if let event = ring.takeNext() { seen.append("\(event.number)") }
      }
    }
    seen += drain(&ring)
    expectEqual(seen, expected)
    expect(ring.isEmpty)
  }

  @Test func whoFallsBehindMissesTheOldestAndIsToldHowMany() {
    var ring = EventRing()
    for number in 0..<UInt64(EventRing.capacity + 3) { _ = ring.receive(event(number)) }
    let seen = drain(&ring)
    expectEqual(seen.prefix(3), ["missed 3", "3", "4"])
    expectEqual(seen.count, EventRing.capacity + 1)
    expect(ring.isEmpty)
  }

  @Test func aFullRingHandsOutWhatItDrops() {
    var ring = EventRing()
    for number in 0..<UInt64(EventRing.capacity) { expectNil(ring.receive(event(number))) }
    expectEqual(ring.receive(event(9_999))?.number, 0)
  }
}
