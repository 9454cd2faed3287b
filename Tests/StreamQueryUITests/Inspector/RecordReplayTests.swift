import StreamQueryTesting
import Testing

@testable import StreamQuery
@testable import StreamQueryUI

struct RecordReplayTests {
  @Test("in parts of any size it knows the same as from the whole record")
  func parts() {
    for seed in 0..<40 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var whole = RecordMaker()
      for number in 1...5 {
        whole.key(number, .int(number), base: number < 3 ? .data(updates: 0) : nil)
      }
      for _ in 0..<200 { whole.step(&random) }
      let record = whole.part
      var parts = RecordReplay()
      var rest = record.events[...]
      var part = record
      repeat {
        part.events = Array(rest.prefix(Int.random(in: 0...20, using: &random)))
        rest = rest.dropFirst(part.events.count)
        // With all rows, those that are known too.
        _ = parts.feed(part)
      } while !rest.isEmpty
      var once = RecordReplay()
      _ = once.feed(record)
      for time in stride(from: -1, through: 220, by: 7) {
        expectEqual(parts.answer(at: time * 1_000), once.answer(at: time * 1_000), "seed \(seed)")
      }
    }
  }

  @Test("with few events kept, it knows the same of the times that are kept")
  func folding() {
    for seed in 0..<40 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var maker = RecordMaker()
      for number in 1...5 { maker.key(number, .int(number)) }
      for _ in 0..<200 { maker.step(&random) }
      let (all, few) = (RecordReplay(maker.part), RecordReplay(maker.part, capacity: 30))
      expectEqual(few.events.count, 30)
      let start = few.start
      for time in 0...220 {
        let time = max(start, .milliseconds(time))
        expectEqual(few.updates(at: time), all.updates(at: time), "seed \(seed) at \(time)")
        let (one, other) = (few.moment(at: time), all.moment(at: time))
        expectEqual(one.totals, other.totals, "seed \(seed) at \(time)")
      }
      // Earlier times look like the one before the first event that is kept.
      expectEqual(few.updates(at: .zero), few.updates(at: start - .microseconds(1)))
    }
  }

  @Test("a million events of keys that come and go take the room of those that are kept")
  func memory() {
    var replay = RecordReplay(capacity: 100)
    var maker = RecordMaker()
    maker.key(1, .text("hot"), base: .data())
    var largest = (keys: 0, runs: 0, errors: 0, options: 0)
    for round in 2..<10_000 {
      maker.key(round, .int(round))
      maker.options(round, staleTime: .never)
      maker.run(round, "[\"save\"]")
      maker.error(round, "error \(round)")
      maker.wait(.milliseconds(1))
      maker.event(.added, round, .data(options: round))
      maker.event(.run(.started, run: round))
      maker.event(.layered(run: round), round)
      maker.event(.run(.failed(error: round), run: round))
      maker.event(.unlayered(run: round), round)
      maker.event(.removed(.expired, isKeptEmpty: false), round, nil)
      maker.event(.written, 1, .data(updates: round))
      _ = replay.feed(maker.take())
      largest.keys = max(largest.keys, replay.keys.count)
      largest.runs = max(largest.runs, replay.runs.count)
      largest.errors = max(largest.errors, replay.errors.count)
      largest.options = max(largest.options, replay.options.count)
    }
    expectEqual(replay.events.count, 100)
    #expect(largest.keys < 20 && largest.runs < 20, "\(largest)")
    #expect(largest.errors + largest.options < 400, "\(largest)")
    expectEqual(replay.updates(at: replay.duration)[1], 9_999)
  }

  @Test("a run is known until its last optimistic change is gone, even if that goes with its entry")
  func runsWithChanges() {
    var maker = RecordMaker()
    maker.key(3, .text("hot"), base: .data())
    for run in 1...2 {
      maker.key(run, .int(run), base: .data())
      maker.run(run, "[\"save\", \(run)]")
      maker.event(.run(.started, run: run))
      maker.event(.layered(run: run), run)
      maker.event(.run(.succeeded, run: run))
    }
    for _ in 0..<3 { maker.event(.written, 3) }
    var replay = RecordReplay(maker.take(), capacity: 2)
    expectEqual(replay.runs.keys.sorted(), [1, 2])
    maker.event(.unlayered(run: 1), 1)
    maker.event(.removed(.expired, isKeptEmpty: false), 2, nil)
    for _ in 0..<3 { maker.event(.written, 3) }
    _ = replay.feed(maker.take())
    expectEqual(replay.runs.keys.sorted(), [])
  }

  @Test("it knows the options of a client that come again after it has forgotten them")
  func optionsThatComeAgain() {
    struct Failed: Error {}
    let simulation = Simulation(seed: 34)
    let client = QueryClient(simulation: simulation) { $0.record = .last(1_000) }
    let parts = simulation.record(client.recordUpdates)
    func fetch(_ query: Query<Int>) {
      simulation.task { _ = try? await client.fetch(query) }
      simulation.settle()
      client.remove(query)
      simulation.settle()
    }
    fetch(Query("first") { 1 }.staleTime(.seconds(30)))
    for number in 0..<100 { fetch(Query("failing", number) { throw Failed() }.retry(0)) }
    simulation.task {
      _ = try? await client.fetch(Query<Int>("again") { 1 }.staleTime(.seconds(30)))
    }
    simulation.settle()
    var replay = RecordReplay(capacity: 100)
    for part in parts.values { _ = replay.feed(part) }
    #expect(replay.options.count < 5 && replay.errors.count < 100)
    let key = replay.keys.values.first { $0.row.text == "[\"again\"]" }?.row.number
    let row = key.flatMap { replay.row(of: $0, at: replay.moment(at: replay.duration)) }
    expectEqual(row?.staleTime, .after(.seconds(30)))
    parts.cancel()
  }

  @Test("events that it knows are skipped, as are those of unknown keys and runs")
  func repeated() {
    var maker = RecordMaker()
    maker.key(1, .text("a"))
    maker.event(.added, 1)
    maker.event(.written, 2)
    maker.event(.run(.started, run: 1))
    let record = maker.part
    var replay = RecordReplay(record)
    expectEqual(replay.events.map(\.event.number), [1])
    expectEqual(replay.feed(record).changed, [])
    expectEqual(replay.events.map(\.event.number), [1])
  }

  @Test("a record after lost events is a new beginning")
  func lost() {
    var maker = RecordMaker()
    maker.key(1, .text("a"))
    maker.event(.added, 1)
    var replay = RecordReplay(maker.take())
    maker.key(2, .text("b"), base: .data(updates: 7))
    var part = maker.take()
    (part.firstNumber, part.lostCount) = (100, 98)
    let news = replay.feed(part)
    expect(news.isAnew && news.changed == [2])
    expectEqual(replay.updates(at: .seconds(1)), [2: 7])
    expectEqual(replay.moment(at: .zero).totals.lost, 98)
  }

  @Test("numbers from a damaged record do not trap")
  func hostile() {
    var maker = RecordMaker()
    maker.key(.max, .text("a"))
    maker.run(.max, "[]")
    var state = QueryRecord.State.data(at: .seconds(Int64.max), updates: .max, observers: .max)
    (state.failureCount, state.waiterCount, state.options) = (.max, .max, .max)
    maker.options(.max, staleTime: .after(.seconds(Int64.min)))
    maker.wait(.seconds(Int64.max / 2))
    maker.event(
      .attemptFailed(fetch: .max, count: .max, retryAfter: .seconds(Int64.max), error: .max),
      .max,
      state
    )
    maker.event(.fetchStarted(fetch: .max), .max, state)
    maker.event(.run(.performing(attempt: .max), run: .max))
    maker.event(.lost(count: .max))
    maker.event(.lost(count: .max))
    let replay = RecordReplay(maker.take())
    let moment = replay.moment(at: .seconds(Int64.max))
    for kept in replay.events {
      _ = (replay.line(of: kept.event), replay.whyFetched(kept.event.number))
    }
    expectEqual(replay.row(of: .max, at: moment)?.age, .zero)
    #expect(replay.whoObserves(.max, at: moment).hasPrefix("\(Int.max) observers observe it."))
    for order in KeyListing.Order.allCases {
      var list = KeyList(KeyListing(order: order))
      list.rebuild(replay, at: moment)
      expectEqual(list.numbers, [.max])
    }
  }
}

extension RecordReplay {
  init(_ record: QueryRecord, capacity: Int = 10_000) {
    self.init(capacity: capacity)
    _ = feed(record)
  }
}

extension RecordMaker {
  /// Something happens to one of five keys, or to the client.
  mutating func step(_ random: inout SplitMix64) {
    if Bool.random(using: &random) { wait(.milliseconds(Int.random(in: 1...2, using: &random))) }
    let key = Int.random(in: 1...5, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0: event(.removed(.removed, isKeptEmpty: false), key, nil)
    case 1: event(.network(isOnline: Bool.random(using: &random)))
    case 2: event(.lost(count: 1))
    case 3: event(.fetchStarted(fetch: 1), key, .data(updates: part.events.count, .fetching))
    case _:
      event(
        .written,
        key,
        .data(updates: part.events.count, observers: Int.random(in: 0...2, using: &random))
      )
    }
  }
}
