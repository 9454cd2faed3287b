import Testing

@testable import StreamQuery
@testable import StreamQueryUI

struct KeyDetailTests {
  /// A key, fetched at 1 s, whose refetch fails at 3 s after an attempt that failed at 2 s.
  private func makeRecord() -> RecordMaker {
    var maker = RecordMaker()
    maker.key(1, .text("a"))
    maker.options(1, staleTime: .dynamic)
    maker.error(1, "no answer")
    maker.error(2, "not found")
    maker.event(.added, 1, QueryRecord.State())
    maker.event(.fetchStarted(fetch: 1), 1, .data(updates: 0, .fetching, options: 1))
    maker.wait(.seconds(1))
    maker.event(.fetchSucceeded(fetch: 1, isNotModified: false), 1, .data(options: 1))
    maker.event(.fetchStarted(fetch: 2), 1, .data(.fetching, options: 1))
    maker.wait(.seconds(1))
    var state = QueryRecord.State.data(.fetching, options: 1)
    state.failureCount = 1
    let retried = QueryRecord.EntryStep.attemptFailed(
      fetch: 2,
      count: 1,
      retryAfter: .seconds(1),
      error: 1
    )
    maker.event(retried, 1, state)
    maker.wait(.seconds(1))
    (state.fetchStatus, state.status, state.failureCount) = (.idle, .error, 2)
    maker.event(.fetchFailed(fetch: 2, error: 2), 1, state)
    return maker
  }

  private func detail(_ replay: RecordReplay, at seconds: Int) -> KeyDetail? {
    KeyDetail(of: 1, in: replay, at: replay.moment(at: .seconds(seconds)))
  }

  @Test("the error is that of the newest attempt by the moment, until one succeeds")
  func errors() {
    var maker = makeRecord()
    maker.wait(.seconds(1))
    maker.event(.fetchStarted(fetch: 3), 1, .data(.fetching))
    maker.wait(.seconds(1))
    // The number of failed attempts of a fetch stays after its end.
    var state = QueryRecord.State.data(updates: 2)
    state.failureCount = 1
    maker.event(.fetchSucceeded(fetch: 3, isNotModified: false), 1, state)
    let replay = RecordReplay(maker.take())
    let errors = (0...5).map { detail(replay, at: $0)?.error }
    expectEqual(errors, [nil, nil, "no answer", "not found", nil, nil])
  }

  @Test("an error from before the record is not named, and not left out")
  func formerError() {
    var maker = RecordMaker()
    var state = QueryRecord.State()
    state.status = .error
    maker.key(1, .text("a"), base: state)
    let detail = detail(RecordReplay(maker.take()), at: 0)
    expectEqual(detail?.error, "an error that is not in the record")
  }

  @Test("a function's stale time is an option without a value, and no claim about the data")
  func dynamicOptions() {
    let detail = detail(RecordReplay(makeRecord().part), at: 1)
    expectEqual(
      detail?.options.first,
      KeyDetail.Option(name: "staleTime", value: "a function decides")
    )
    expectNil(detail?.row?.freshness)
    expectEqual(detail?.row?.facts.hasPrefix("fetching · 1 s old"), true)
  }

  @Test("the history is that of the moment, and says whether there was an earlier one")
  func history() {
    let whole = RecordReplay(makeRecord().part)
    expectEqual(
      detail(whole, at: 2)?.lines.map { "\($0.text), \($0.ago)" },
      [
        "Fetch 2: attempt 1 failed (no answer), again after 1 s, less than 1 ms",
        "Fetch 2 started: cause unknown, 1 s", "Fetch 1 succeeded, 1 s",
        "Fetch 1 started: cause unknown, 2 s", "Added, 2 s",
      ]
    )
    expectEqual(detail(whole, at: 2)?.hasEarlierLines, false)
    let cut = RecordReplay(makeRecord().part, capacity: 2)
    expect(detail(cut, at: 3)?.lines.count == 2 && detail(cut, at: 3)?.hasEarlierLines == true)

    var maker = RecordMaker()
    maker.key(1, .text("a"))
    maker.event(.added, 1)
    for updates in 1...KeyDetail.lineLimit { maker.event(.written, 1, .data(updates: updates)) }
    let long = detail(RecordReplay(maker.take()), at: 0)
    expect(long?.lines.count == KeyDetail.lineLimit && long?.hasEarlierLines == true)
  }

  @Test("the line above all keys tells of the network, the app and what is lost")
  func totals() {
    var maker = makeRecord()
    maker.wait(.seconds(1))
    maker.event(.network(isOnline: false))
    maker.event(.activity(isActive: false))
    maker.wait(.seconds(1))
    maker.event(.lost(count: 3))
    maker.event(.network(isOnline: true))
    let replay = RecordReplay(maker.take())
    let facts = [2, 3, 4, 5].map { replay.moment(at: .seconds($0)).totals.facts }
    expectEqual(
      facts,
      [
        "1 key · 1 fetching · 0 observed", "1 key · 0 fetching · 0 observed · 1 failed",
        "1 key · 0 fetching · 0 observed · 1 failed · offline · inactive",
        "1 key · 0 fetching · 0 observed · 1 failed · inactive · 3 events lost",
      ]
    )
  }

  @Test("a run tells its state, scope, failures and layers")
  func runs() {
    var maker = makeRecord()
    maker.run(1, "[\"rename\"]", scope: "names")
    maker.event(.run(.started, run: 1))
    maker.event(.layered(run: 1), 1, .layered)
    maker.event(.run(.performing(attempt: 0), run: 1))
    maker.wait(.seconds(1))
    maker.event(.run(.attemptFailed(count: 1, retryAfter: .seconds(1), error: 1), run: 1))
    maker.wait(.seconds(1))
    maker.event(.run(.failed(error: 2), run: 1))
    maker.event(.unlayered(run: 1), 1)
    let replay = RecordReplay(maker.take())
    let facts = [2, 3, 4, 5].map { seconds in
      replay.row(ofRun: 1, at: replay.moment(at: .seconds(seconds)))?.facts
    }
    expectEqual(
      facts,
      [
        nil, "performing · scope names · changes 1 key",
        "retrying · scope names · 1 failed · no answer · changes 1 key",
        "failed · scope names · 1 failed · not found",
      ]
    )
    let changes = [2, 4, 5].map { detail(replay, at: $0)?.optimisticChanges }
    expectEqual(changes, [[], ["[\"rename\"]"], []])
  }
}

extension QueryRecord.State {
  fileprivate static var layered: Self {
    var state = data()
    state.isLayered = true
    return state
  }
}
