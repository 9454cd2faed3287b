@testable import StreamQuery
@testable import StreamQueryOperators
import StreamQueryTesting
import Testing

struct ChangesTests {
  @Test func onlyTheNamedFieldsCountT19() {
    expectResults("p---x---y|", of: "p-(p*)-x-(x*)-y|") { $0.changes(of: .data) }
    expectResults("p-(p*)-x|", of: "p-(p*)-x|") { $0.changes(of: .fetchStatus) }
    expectResults("x---(!)|", of: "x-y-(!)|") { $0.changes(of: .status) }
    expectResults("p-x-----(x!)|", of: "p-x-(x*)-(x*)-(x!)|") { $0.changes(of: .data, .error) }
  }

  @Test func equatableDataIsComparedByValueT19() {
    expectResults("x---y|", of: "x-(x')-y|") { $0.changes(of: .data) }
  }

  private struct Opaque: Sendable {}

  @Test func otherDataIsNewWithEachFetchT19() {
    let snapshot = Sample.result("x").snapshot
    let results = (0..<2).map { _ in
      QueryResult<Opaque>(
        snapshot: EntrySnapshot(snapshot, data: TypedBox(Opaque()), error: nil),
        flags: []
      )
    }
    var step = _ChangesStep<Opaque>(fields: QueryResultFields([.data]))
    let passed = [results[0], results[0], results[1], results[1]].map { step.take($0) != nil }
    expectEqual(passed, [true, false, true, false])
  }

  /// One result and, for each field, one that differs from it in this field alone or, where a
  /// field depends on others, in as little as can be.
  @Test func everyFieldIsSeenAndNoOtherT19() throws {
    let plain = machine { _ in }
    let base = result(plain)
    let cases: [(QueryResultField, QueryResult<String>)] = [
      (.data, result(plain, data: "y")),
      (.fetchStatus, Sample.result("x*")),
      (.isStale, result(plain, flags: [.enabled, .stale])),
      (.dataUpdatedAt, result(machine { $0.dataUpdatedAt = Timestamp(instant: .zero, date: 1) })),
      (.errorUpdatedAt, result(machine { $0.errorUpdatedAt = Timestamp(instant: .zero, date: 1) })),
      (.errorUpdateCount, result(machine { $0.errorUpdateCount = 1 })),
      (.failureCount, result(machine { $0.failureCount = 1 })),
      (.failureReason, result(plain, failureReason: "!")),
      (.isPlaceholderData, result(plain, flags: [.enabled, .placeholder])),
      (.isFetchedSinceSubscribing, result(plain, flags: [.enabled, .fetchedSinceSubscribing])),
      (.isEnabled, result(plain, flags: [])),
      (.cause, result(machine { $0.cause = .manual })),
    ]
    for (field, other) in cases {
      let seen = cases.map(\.0).filter { QueryResultFields([$0]).differ(base, other) }
      // A fetch that runs has a cause.
      expectEqual(seen, field == .fetchStatus ? [.fetchStatus, .cause] : [field])
      expect(!QueryResultFields([.status, .error]).differ(base, other))
    }
    expect(QueryResultFields([.error]).differ(base, Sample.result("x!")))
    expect(QueryResultFields([.status]).differ(base, Sample.result("x!")))
    expect(!QueryResultFields([.status]).differ(Sample.result("x!2"), Sample.result("x!")))
    expect(QueryResultFields([.error]).differ(Sample.result("x!2"), Sample.result("x!")))
  }

  private func machine(_ change: (inout EntryMachine) -> Void) -> EntryMachine {
    var machine = EntryMachine(at: .zero)
    change(&machine)
    return machine
  }

  private func result(
    _ machine: EntryMachine,
    data: String = "x",
    failureReason: String? = nil,
    flags: QueryFlags = [.enabled]
  ) -> QueryResult<String> {
    let snapshot = EntrySnapshot(
      version: 2,
      facts: machine.snapshotFacts,
      data: Sample.box(data),
      error: nil,
      failureReason: failureReason.map(Sample.errorBox)
    )
    return QueryResult(snapshot: snapshot, flags: flags)
  }

  @Test func endsPassThrough() {
    expectEndsPassThrough { $0.changes(of: .data) }
  }
}
