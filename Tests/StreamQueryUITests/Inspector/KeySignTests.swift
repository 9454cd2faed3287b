import Testing

@testable import StreamQuery
@testable import StreamQueryUI

struct KeySignTests {
  /// A key with data at 1 s, at 4 s.
  private func row(
    _ staleTime: QueryRecord.Span?,
    _ change: (inout QueryRecord.State) -> Void = { _ in }
  ) -> RecordReplay.KeyRow? {
    var maker = RecordMaker()
    if let staleTime { maker.options(1, staleTime: staleTime) }
    var state = QueryRecord.State.data(at: .seconds(1), options: 1)
    change(&state)
    maker.key(1, .text("a"), base: state)
    let replay = RecordReplay(maker.take())
    return replay.row(of: 1, at: replay.moment(at: .seconds(4)))
  }

  @Test(
    "data is called fresh or stale only if that is known",
    arguments: [
      (QueryRecord.Span.after(.seconds(6)), 0.5, "fresh · 3 s old · 1 update"),
      (.after(.seconds(3)), 0, "stale · 3 s old · 1 update"),
      (.never, 1, "fresh · 3 s old · 1 update"), (.static, 1, "fresh · 3 s old · 1 update"),
      (.dynamic, nil, "has data · a function decides whether it is stale · 3 s old · 1 update"),
      (nil, nil, "has data · its stale time is not in the record · 3 s old · 1 update"),
    ] as [(QueryRecord.Span?, Double?, String)]
  )
  func freshness(_ staleTime: QueryRecord.Span?, _ freshness: Double?, _ facts: String) {
    let row = row(staleTime)
    expect(row?.freshness == freshness && row?.facts == facts)
  }

  @Test(
    "invalidated data is stale, whatever its stale time, but for a static one",
    arguments: [.after(.seconds(6)), .never, .dynamic, nil, .static] as [QueryRecord.Span?]
  )
  func invalidated(_ staleTime: QueryRecord.Span?) {
    let row = row(staleTime) { $0.isInvalidated = true }
    expectEqual(row.map { KeySign($0) }, staleTime == .static ? .fresh : .stale)
  }

  @Test("the most urgent sign comes first, and says nothing about freshness")
  func urgency() {
    let changes: [(inout QueryRecord.State) -> Void] = [
      { $0.hasData = false }, { $0.isLayered = true }, { $0.status = .error },
      { $0.fetchStatus = .paused }, { $0.fetchStatus = .fetching },
    ]
    let signs: [KeySign] = [.empty, .optimistic, .failed, .paused, .fetching]
    for count in changes.indices {
      let row = row(.dynamic) { state in for change in changes[...count] { change(&state) } }
      expectEqual(row.map { KeySign($0) }, signs[count])
      expectEqual(row?.facts, "\(signs[count].rawValue) · 1 update")
    }
  }

  @Test("each sign has a symbol and a word of its own, so that no colour is needed")
  func symbols() {
    let signs = KeySign.allCases
    expectEqual(Set(signs.map(\.symbol)).count, signs.count)
    expectEqual(Set(signs.map(\.rawValue)).count, signs.count)
  }
}
