import StreamQuery
import Testing

@testable import StreamQueryUI

/// The answers of fixtures, which the page of the inspector gives too.
struct RecordFixtureTests {
  @Test("each fixture has the same state at each time, in any order of looks")
  func moments() throws {
    for fixture in try RecordFixture.all() {
      let replay = fixture.replay
      for moment in fixture.moments + fixture.moments.reversed() {
        let answer = replay.answer(at: moment.at)
        expect(answer.isClose(to: moment), "\(fixture) at \(moment.at)")
      }
    }
  }

  @Test("each fetch has its reason, and other events have none")
  func reasons() throws {
    for fixture in try RecordFixture.all() {
      let replay = fixture.replay
      for why in fixture.why {
        let event = try #require(why.event)
        expectEqual(replay.whyFetched(event), why.text, "\(fixture): event \(event)")
      }
    }
  }

  @Test("each key has its observers")
  func observers() throws {
    for fixture in try RecordFixture.all() {
      let replay = fixture.replay
      for who in fixture.who {
        let (key, at) = (try #require(who.key), try #require(who.at))
        let answer = replay.whoObserves(key, at: replay.moment(at: .microseconds(at)))
        expectEqual(answer, who.text, "\(fixture): key \(key) at \(at)")
      }
    }
  }

  @Test("each event has its line, and skipped events have none")
  func lines() throws {
    for fixture in try RecordFixture.all() {
      let replay = fixture.replay
      for line in fixture.lines {
        let event = replay.position(of: try #require(line.event)).map { replay.events[$0].event }
        expectEqual(event.map(replay.line), line.text, "\(fixture): event \(line.event ?? 0)")
      }
    }
  }

  @Test("the fixtures have each kind of event")
  func kinds() throws {
    var kinds: Set<String> = []
    for fixture in try RecordFixture.all() {
      for event in fixture.record.events + (fixture.parts ?? []).flatMap(\.events) {
        switch event.kind {
        case .entry(let step, _, _): kinds.insert("entry \(step)".firstWords)
        case .run(let step, _): kinds.insert("run \(step)".firstWords)
        case .network, .activity, .trigger, .persistenceFailed, .bulk, .lost:
          kinds.insert("\(event.kind)".firstWords)
        }
      }
    }
    expectEqual(kinds.count, 19 + 10 + 6, "\(kinds.sorted())")
  }
}

extension String {
  /// The text before the first bracket.
  fileprivate var firstWords: String { String(prefix { $0 != "(" }) }
}

extension RecordFixture.Moment {
  /// Whether it is the same but for the last digits of freshness.
  fileprivate func isClose(to other: Self) -> Bool {
    var (one, other) = (self, other)
    let pairs = zip(one.keys, other.keys)
    let isClose = pairs.allSatisfy { one, other in
      guard let one = one.freshness, let other = other.freshness else {
        return one.freshness == other.freshness
      }
      return abs(one - other) < 1e-9
    }
    for index in one.keys.indices { one.keys[index].freshness = nil }
    for index in other.keys.indices { other.keys[index].freshness = nil }
    return isClose && one == other
  }
}
