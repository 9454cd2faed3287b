import StreamQueryTesting
import Testing

@testable import StreamQuery
@testable import StreamQueryUI

struct InspectorScreenTests {
  /// A screen with events after 1, 2, 2 and 4 seconds, at 5 seconds.
  private func makeScreen() -> (screen: InspectorScreen, maker: RecordMaker) {
    var (screen, maker) = (InspectorScreen(), RecordMaker())
    maker.key(1, .text("a"))
    maker.key(2, .text("b"))
    maker.wait(.seconds(1))
    maker.event(.added, 1, .data(updates: 1))
    maker.wait(.seconds(1))
    maker.event(.added, 2, .data(updates: 1))
    maker.event(.written, 1, .data(updates: 2))
    maker.wait(.seconds(2))
    maker.event(.written, 1, .data(updates: 3))
    maker.wait(.seconds(1))
    screen.came(maker.take())
    return (screen, maker)
  }

  @Test("it follows the newest moment")
  func following() {
    var (screen, maker) = makeScreen()
    expect(screen.isFollowing && screen.progress == 1 && screen.moment.time == .seconds(5))
    expectEqual(screen.updates, [1: 3, 2: 1])
    // Part of this tick was before the record came.
    screen.ticked(.seconds(1))
    expectEqual(screen.moment.time, .seconds(5))
    screen.ticked(.seconds(1))
    expect(screen.moment.time == .seconds(6) && screen.progress == 1)
    maker.wait(.seconds(3))
    maker.event(.removed(.removed, isKeptEmpty: false), 2, nil)
    screen.came(maker.take())
    expect(screen.updates == [1: 3] && screen.list.numbers == [1])
    expectEqual(screen.moment.time, .seconds(8))
  }

  @Test("steps go from transaction to transaction, and past the last one they follow")
  func steps() {
    var (screen, _) = makeScreen()
    var shown: [[Int: Int]] = []
    for _ in 0..<5 {
      screen.stepBack()
      shown.append(screen.updates)
    }
    expectEqual(shown, [[1: 2, 2: 1], [1: 1], [:], [:], [:]])
    expect(screen.progress == 0 && screen.list.numbers == [])
    shown = []
    for _ in 0..<3 {
      screen.stepForward()
      shown.append(screen.updates)
    }
    expect(shown == [[1: 1], [1: 2, 2: 1], [1: 3, 2: 1]] && !screen.isFollowing)
    screen.stepForward()
    expect(screen.isFollowing && screen.moment.time == .seconds(5))
  }

  @Test("a slider selects a time between the first event and now")
  func scrubbing() {
    var (screen, maker) = makeScreen()
    screen.scrub(to: 0.5)
    #expect(screen.updates == [1: 2, 2: 1] && abs(screen.progress - 0.5) < 1e-6)
    screen.scrub(to: 0)
    expect(screen.updates == [:] && screen.list.numbers == [])
    screen.scrub(to: 0.3)
    // News do not change an earlier moment.
    maker.event(.written, 1, .data(updates: 4))
    screen.came(maker.take())
    for _ in 0..<9 { screen.ticked(.seconds(1)) }
    expect(screen.updates == [1: 2, 2: 1] && !screen.isFollowing && screen.list.numbers == [1, 2])
    screen.scrub(to: 1)
    expect(screen.isFollowing && screen.updates == [1: 4, 2: 1])
    screen.scrub(to: .nan)
    expect(screen.isFollowing)
  }

  @Test("an event selects its moment, with all of its transaction")
  func events() {
    var (screen, _) = makeScreen()
    screen.scrub(toEvent: 2)
    expect(screen.updates == [1: 2, 2: 1] && screen.moment.time == .seconds(2))
    screen.scrub(toEvent: 99)
    expectEqual(screen.moment.time, .seconds(2))
  }

  @Test("an earlier moment that is not kept any more becomes the first that is")
  func folding() {
    var (screen, maker) = (InspectorScreen(capacity: 4), RecordMaker())
    maker.key(1, .text("a"))
    maker.key(2, .text("b"))
    maker.event(.added, 2, .data(updates: 1))
    maker.event(.added, 1, .data(updates: 1))
    screen.came(maker.take())
    screen.stepBack()
    expectEqual(screen.updates, [:])
    for updates in 2...9 {
      maker.wait(.seconds(1))
      maker.event(.written, 1, .data(updates: updates))
    }
    screen.came(maker.take())
    expect(screen.updates == [1: 5, 2: 1] && screen.list.numbers == [1, 2])
    expect(screen.progress == 0 && screen.choice == .first)
    // Its time is the one that is shown, not the one that was selected.
    expectEqual(screen.moment.time, .seconds(5) - .microseconds(1))
    maker.wait(.seconds(1))
    maker.event(.written, 1, .data(updates: 10))
    screen.came(maker.take())
    #expect(screen.moment.time == .seconds(6) - .microseconds(1) && screen.choice == .first)
    screen.stepBack()
    expectEqual(screen.choice, .first)
    screen.stepForward()
    expectEqual(screen.choice, .selected)
    expectEqual(screen.updates, [1: 7, 2: 1])
  }

  @Test("a selected moment that is kept stays, however much comes and goes")
  func kept() {
    var (screen, maker) = (InspectorScreen(capacity: 4), RecordMaker())
    maker.key(1, .text("a"))
    maker.event(.added, 1, .data(updates: 1))
    for updates in 2...9 {
      maker.wait(.seconds(1))
      maker.event(.written, 1, .data(updates: updates))
    }
    screen.came(maker.take())
    screen.stepBack()
    for updates in 10...12 {
      expect(screen.updates == [1: 8] && screen.choice == .selected)
      expectEqual(screen.moment.time, .seconds(7))
      maker.event(.written, 1, .data(updates: updates))
      screen.came(maker.take())
    }
    // The moment before the first event that is kept is known too.
    expect(screen.updates == [1: 8] && screen.choice == .selected)
    maker.event(.written, 1, .data(updates: 13))
    screen.came(maker.take())
    expect(screen.updates == [1: 9] && screen.choice == .first)
  }

  @Test("before the first event of a record that is whole, nothing is lost")
  func beginning() {
    var (screen, maker) = makeScreen()
    screen.scrub(to: 0)
    maker.wait(.seconds(1))
    maker.event(.written, 1, .data(updates: 4))
    screen.came(maker.take())
    expect(screen.updates == [:] && screen.choice == .selected && screen.replay.lostUntil == nil)
    expectEqual(screen.moment.time, .seconds(1) - .microseconds(1))
  }

  @Test("after lost events it shows the new record, also when an earlier moment was shown")
  func lost() {
    var (screen, maker) = makeScreen()
    screen.stepBack()
    maker.key(7, .text("c"), base: .data(updates: 7))
    var part = maker.take()
    (part.firstNumber, part.lostCount) = (90, 80)
    screen.came(part)
    expect(screen.updates == [7: 7] && screen.list.numbers == [7] && screen.choice == .first)
    expectEqual(screen.moment.totals.facts, "1 key · 0 fetching · 0 observed · 80 events lost")
  }

  @Test("a forgotten key is listed when it comes again, although the client keeps its past")
  func comingAgain() {
    let simulation = Simulation(seed: 35)
    let client = QueryClient(simulation: simulation) { $0.record = .last(100) }
    let parts = simulation.record(client.recordUpdates)
    let (key, other) = (QueryKey<Int>("a"), QueryKey<Int>("other"))
    client.setData(0, for: key)
    simulation.settle()
    client.remove("a")
    simulation.settle()
    for number in 1...5 { client.setData(number, for: other) }
    simulation.settle()
    client.setData(1, for: key)
    simulation.settle()
    var screen = InspectorScreen(capacity: 4)
    for part in parts.values { screen.came(part) }
    let shown = screen.list.numbers.compactMap { screen.replay.keys[$0]?.row.text }
    expectEqual(shown.sorted(), ["[\"a\"]", "[\"other\"]"])
    expectEqual(client.record.keys.filter { $0.text == "[\"a\"]" }.count, 2)
    parts.cancel()
  }

  @Test("the list is as if made anew, whatever comes and whatever is looked at")
  func lists() {
    for seed in 0..<40 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var (screen, maker) = (InspectorScreen(capacity: 20), RecordMaker())
      for number in 1...5 { maker.key(number, .int(number % 2), .int(number)) }
      for _ in 0..<120 {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: screen.scrub(to: Double.random(in: -0.1...1.2, using: &random))
        case 1: screen.stepBack()
        case 2: screen.stepForward()
        case 3: screen.list(.random(using: &random))
        case 4: screen.ticked(.milliseconds(1))
        case _:
          for _ in 0..<Int.random(in: 0...12, using: &random) { maker.step(&random) }
          screen.came(maker.take())
        }
        var anew = KeyList(screen.list.listing)
        anew.rebuild(screen.replay, at: screen.moment)
        expectEqual(screen.list.numbers, anew.numbers, "seed \(seed)")
        expectEqual(screen.list.groups, anew.groups, "seed \(seed)")
        expectEqual(screen.moment, screen.replay.moment(at: screen.moment.time), "seed \(seed)")
      }
    }
  }
}

extension InspectorScreen {
  /// The keys with an entry at the shown moment, and their numbers of updates.
  fileprivate var updates: [Int: Int] {
    replay.keys.keys.reduce(into: [:]) {
      $0[$1] = replay.row(of: $1, at: moment)?.state.dataUpdateCount
    }
  }
}
