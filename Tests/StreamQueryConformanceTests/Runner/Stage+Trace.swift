import StreamQuery
import StreamQueryTesting

/// A snapshot in the notation of traces: what has its usual value is left out.
func snapshot(_ result: QueryResult<JSON>) -> JSON {
  func flag(_ isOn: Bool) -> JSON? { isOn ? true : nil }
  func count(_ number: Int) -> JSON? { number == 0 ? nil : .int(number) }
  return .fields([
    ("status", .string(result.status.rawValue)),
    ("fetchStatus", .string(result.fetchStatus.rawValue)),
    ("data", result.data),
    ("dataUpdatedAt", result.dataUpdatedAt.map(Simulation.milliseconds)),
    ("error", result.error.map { .string(message(of: $0)) }),
    ("errorUpdatedAt", result.errorUpdatedAt.map(Simulation.milliseconds)),
    ("errorUpdateCount", count(result.errorUpdateCount)),
    ("failureCount", count(result.failureCount)),
    ("failureReason", result.failureReason.map { .string(message(of: $0)) }),
    ("isStale", flag(result.isStale)),
    ("isPlaceholderData", flag(result.isPlaceholderData)),
    ("isFetchedAfterMount", flag(result.isFetchedSinceSubscribing)),
    ("isLoadingError", flag(result.isLoadingError)),
    ("isRefetchError", flag(result.isRefetchError)),
    ("isEnabled", result.isEnabled ? nil : false),
  ])
}

extension Stage {
  /// What was seen so far, in the notation of scenario files.
  func trace() -> JSON {
    .fields([
      ("observers", .object(observers.mapValues { history(of: $0.recording) })),
      ("fetches", ledger.fetches),
      ("calls", ledger.calls),
      (
        "final",
        .object(Dictionary(uniqueKeysWithValues: clientNames.map { ($0, dump($0)) }))
      ),
    ])
  }

  /// The snapshots of an observer: of one instant the last, and none that equals the one before.
  private func history(of recording: Recording<QueryResult<JSON>>) -> JSON {
    var kept: [(time: Int, snapshot: JSON)] = []
    var pending: (time: Int, snapshot: JSON)?
    func keep() {
      guard let candidate = pending, candidate.snapshot != kept.last?.snapshot else { return }
      kept.append(candidate)
    }
    for element in recording.elements {
      let time = Int(element.time / .milliseconds(1))
      if let last = pending, last.time != time { keep() }
      pending = (time, snapshot(element.element))
    }
    keep()
    return .array(kept.map { [.int($0.time), $0.snapshot] })
  }

  /// The cache as diagnostics show it.
  func dump(_ name: String) -> JSON {
    let queries = client(name).diagnostics().map { info -> JSON in
      .fields([
        ("key", keys[info.key] ?? .string("\(info.key)")),
        ("status", .string(info.status.rawValue)),
        ("fetchStatus", .string(info.fetchStatus.rawValue)),
        ("data", info.data as? JSON),
        ("dataUpdatedAt", info.dataUpdatedAt.map(Simulation.milliseconds)),
        ("error", info.error.map { .string(message(of: $0)) }),
        ("isInvalidated", info.isInvalidated ? true : nil),
        ("observers", .int(info.observerCount)),
        ("dataUpdateCount", info.dataUpdateCount == 0 ? nil : .int(info.dataUpdateCount)),
        ("errorUpdateCount", info.errorUpdateCount == 0 ? nil : .int(info.errorUpdateCount)),
      ])
    }
    return ["queries": .array(queries)]
  }
}
