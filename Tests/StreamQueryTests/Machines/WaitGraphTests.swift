import StreamQueryTesting
import Testing

@testable import StreamQuery

/// A graph that expectations can change.
private final class Waits {
  private var graph = WaitGraph()

  var isEmpty: Bool { graph.isEmpty }

  func begin(_ source: WorkID, for target: WorkID) -> UInt64? { graph.addWait(source, for: target) }

  func end(_ number: UInt64, of source: WorkID) { graph.removeWait(number, of: source) }

  func ended(_ work: WorkID) { graph.workEnded(work) }
}

struct WaitGraphTests {
  private func fetch(_ index: Int32, cache: UInt64 = 1) -> WorkID {
    .fetch(cache: cache, entry: EntryID(index: index, generation: UInt64(index)))
  }

  private func run(_ serial: UInt64, _ scope: String? = nil, cache: UInt64 = 1) -> WorkID {
    .run(cache: cache, serial: serial, scope: scope)
  }

  @Test func aWorkDoesNotWaitForItself() {
    let graph = Waits()
    expectNil(graph.begin(fetch(1), for: fetch(1)))
    expect(graph.begin(fetch(1), for: fetch(1, cache: 2)) != nil)
  }

  @Test(arguments: 2...20)
  func theLastWaitOfARingIsRefused(count: Int32) {
    let graph = Waits()
    for index in 0..<(count - 1) {
      expect(graph.begin(fetch(index), for: fetch(index + 1)) != nil)
    }
    expectNil(graph.begin(fetch(count - 1), for: fetch(0)))
    // What is refused leaves nothing behind.
    expect(graph.begin(fetch(0), for: fetch(count - 1)) != nil)
  }

  @Test func aWaitThatEndedIsNoWait() throws {
    let graph = Waits()
    let wait = try #require(graph.begin(fetch(1), for: fetch(2)))
    graph.end(wait, of: fetch(1))
    graph.end(wait, of: fetch(1))
    expect(graph.isEmpty)
    expect(graph.begin(fetch(2), for: fetch(1)) != nil)
  }

  @Test func ofTwoEqualWaitsEachHasItsOwnEnd() throws {
    let graph = Waits()
    let first = try #require(graph.begin(fetch(1), for: fetch(2)))
    let second = try #require(graph.begin(fetch(1), for: fetch(2)))
    graph.end(first, of: fetch(1))
    expectNil(graph.begin(fetch(2), for: fetch(1)))
    graph.end(second, of: fetch(1))
    expect(graph.begin(fetch(2), for: fetch(1)) != nil)
  }

  @Test func aWorkThatIsOverWaitsForNothing() throws {
    let graph = Waits()
    let wait = try #require(graph.begin(run(1, "s"), for: fetch(2)))
    _ = graph.begin(run(1, "s"), for: fetch(3))
    graph.ended(run(1, "s"))
    expect(graph.isEmpty)
    graph.end(wait, of: run(1, "s"))
    expect(graph.begin(fetch(2), for: run(1, "s")) != nil)
  }

  @Test func aRunWaitsForThoseBeforeItInItsLane() {
    let graph = Waits()
    // Itself at work, for one behind it.
    expectNil(graph.begin(run(1, "s"), for: run(2, "s")))
    expect(graph.begin(run(2, "s"), for: run(1, "s")) != nil)
    // Of another lane, of none, of another client.
    expect(graph.begin(run(1, "s"), for: run(2, "t")) != nil)
    expect(graph.begin(run(1), for: run(2)) != nil)
    expect(graph.begin(run(1, "s"), for: run(2, "s", cache: 2)) != nil)
  }

  @Test func whoWaitsBehindAWaitingRunWaitsForWhatItWaitsFor() throws {
    let graph = Waits()
    expect(graph.begin(run(1, "s"), for: fetch(1)) != nil)
    expectNil(graph.begin(fetch(1), for: run(9, "s")))
    let wait = try #require(graph.begin(fetch(1), for: run(9, "t")))
    expectNil(graph.begin(run(8, "t"), for: run(5, "s")))
    graph.end(wait, of: fetch(1))
    // Another lane between.
    expect(graph.begin(run(8, "t"), for: run(5, "s")) != nil)
    expectNil(graph.begin(fetch(1), for: run(9, "t")))
    graph.ended(run(8, "t"))
    expect(graph.begin(fetch(1), for: run(9, "t")) != nil)
  }

  // MARK: Against a plain record

  /// Every wait and every run that is not over, and nothing else.
  private struct Record {
    var waits: [(number: UInt64, source: WorkID, target: WorkID)] = []
    var alive: [WorkID] = []

    func next(_ work: WorkID) -> [WorkID] {
      var next = waits.filter { $0.source == work }.map(\.target)
      guard case .run(let cache, let serial, let scope?) = work else { return next }
      for case .run(cache, let ahead, scope) in alive where ahead < serial {
        next.append(.run(cache: cache, serial: ahead, scope: scope))
      }
      return next
    }

    func waits(_ work: WorkID, for other: WorkID) -> Bool {
      var found = [work]
      var place = 0
      while place < found.count {
        if found[place] == other { return true }
        for next in next(found[place]) where !found.contains(next) { found.append(next) }
        place += 1
      }
      return false
    }
  }

  @Test(arguments: Seeds.few(6))
  func aWaitIsRefusedIfAndOnlyIfACircleCloses(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    func random(_ bound: Int) -> Int { Int(simulation.nextRandom() % UInt64(bound)) }
    let graph = Waits()
    var record = Record()
    for index in 0..<8 { record.alive.append(fetch(Int32(index / 2), cache: UInt64(index % 2))) }
    var lastSerial: UInt64 = 0
    var (refused, granted) = (0, 0)
    for _ in 0..<500 {
      switch random(10) {
      case 0...5:
        var target = record.alive[random(record.alive.count)]
        if random(3) == 0 {
          lastSerial += 1
          let scope = ["s", "t", nil][random(3)]
          target = run(lastSerial, scope, cache: UInt64(random(2)))
        }
        let source = record.alive[random(record.alive.count)]
        let closes = target == source || record.waits(target, for: source)
        let isNew = !record.alive.contains(target)
        let number = graph.begin(source, for: target)
        expectEqual(number == nil, closes)
        guard let number else {
          refused += 1
          continue
        }
        granted += 1
        if isNew { record.alive.append(target) }
        record.waits.append((number, source, target))
      case 6...8:
        guard !record.waits.isEmpty else { continue }
        let wait = record.waits.remove(at: random(record.waits.count))
        graph.end(wait.number, of: wait.source)
      default:
        let over = record.alive[random(record.alive.count)]
        for wait in record.waits where wait.target == over {
          graph.end(wait.number, of: wait.source)
        }
        graph.ended(over)
        record.waits.removeAll { $0.source == over || $0.target == over }
        if case .run = over { record.alive.removeAll { $0 == over } }
      }
    }
    #expect(refused > 20)
    #expect(granted > 50)
    for wait in record.waits { graph.end(wait.number, of: wait.source) }
    expect(graph.isEmpty)
  }
}
