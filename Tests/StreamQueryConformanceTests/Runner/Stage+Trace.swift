import StreamQuery
import StreamQueryOperators
import StreamQueryTesting

/// A snapshot in the notation of traces: what has its usual value is left out.
func snapshot(_ result: QueryResult<JSON>) -> JSON { snapshot(result) { $0 } }

/// The same for a result of another type.
func snapshot<Value: PageSequenceValue>(
  _ result: QueryResult<Value>,
  _ json: (Value) -> JSON
) -> JSON {
  func flag(_ isOn: Bool) -> JSON? { isOn ? true : nil }
  func count(_ number: Int) -> JSON? { number == 0 ? nil : .int(number) }
  return .fields([
    ("status", .string(result.status.rawValue)),
    ("fetchStatus", .string(result.fetchStatus.rawValue)),
    ("data", result.data.map(json)),
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
    ("hasNextPage", flag(result.hasNextPage)),
    ("hasPreviousPage", flag(result.hasPreviousPage)),
    ("isFetchingNextPage", flag(result.isFetchingNextPage)),
    ("isFetchingPreviousPage", flag(result.isFetchingPreviousPage)),
    ("isFetchNextPageError", flag(result.isFetchNextPageError)),
    ("isFetchPreviousPageError", flag(result.isFetchPreviousPageError)),
  ])
}

extension Stage {
  /// What was seen so far, in the notation of scenario files.
  func trace() -> JSON {
    var histories = observers.mapValues { history(of: $0) }
    for (id, group) in groups {
      histories[id] = history(of: group)
    }
    for (id, mutation) in mutations {
      histories[id] = history(mutation.recording) { snapshot($0) }
    }
    return .fields([
      ("observers", .object(histories)),
      ("fetches", ledger.fetches),
      ("mutations", ledger.mutations),
      ("callbacks", ledger.callbacks),
      ("cacheCallbacks", ledger.cacheCallbacks),
      ("calls", ledger.calls),
      ("final", dumps),
    ])
  }

  /// What there is to see at this instant, in the same notation.
  var present: JSON {
    var results = observers.mapValues { JSON.array([[0, $0.result]]) }
    for (id, mutation) in mutations { results[id] = [[0, snapshot(mutation.handle.run)]] }
    for (id, group) in groups { results[id] = [[0, groupSnapshot(group.observer.results)]] }
    return .fields([("observers", .object(results)), ("final", dumps)])
  }

  private var dumps: JSON {
    .object(Dictionary(uniqueKeysWithValues: clientNames.map { ($0, dump($0)) }))
  }

  /// The snapshots of a group's members, in order.
  func groupSnapshot(_ results: QueryListResults) -> JSON {
    // A key may be in a list twice, so members are taken by their places and not by their keys.
    var plain = results.results(of: JSON.self)[...]
    var paged = results.results(of: PageRun.self)[...]
    return .array(
      results.keys.map { key in
        pagedKeys.contains(key)
          ? paged.popFirst().map { StreamQueryConformanceTests.snapshot($0) { JSON($0) } } ?? .null
          : plain.popFirst().map { StreamQueryConformanceTests.snapshot($0) } ?? .null
      }
    )
  }

  private func snapshot(_ run: MutationRun<JSON, JSON>) -> JSON {
    StreamQueryConformanceTests.snapshot(run)
  }

  /// The snapshots of an observer.
  private func history(of watch: Watch) -> JSON {
    guard !watch.changes.isEmpty else {
      return history(watch.recording) { StreamQueryConformanceTests.snapshot($0) }
    }
    // Where the operators were changed, the rest is what the new ones make of what came.
    var shown = watch.recording.elements.map {
      (time: Int($0.time / .milliseconds(1)), result: $0.element)
    }
    let raw = watch.raw.stamped
    for change in watch.changes {
      let results = simulation.run {
        var results: [QueryResult<JSON>] = []
        for await result in Watch.shown(Replay(raw.map(\.result)).erased(), as: change.options) {
          results.append(result)
        }
        return results
      }
      var after = Array(zip(raw.map(\.time), results)).map { (time: $0, result: $1) }
      if let present = after.last(where: { $0.time <= change.time }) {
        after.removeAll { $0.time <= change.time }
        after.insert((change.time, present.result), at: 0)
      }
      shown = shown.filter { $0.time <= change.time } + after
    }
    return history(shown.map { ($0.time, StreamQueryConformanceTests.snapshot($0.result)) })
  }

  private func history<Element>(
    _ recording: ResultRecording<Element>,
    _ snapshot: (Element) -> JSON
  ) -> JSON {
    history(
      recording.elements.map { (Int($0.time / .milliseconds(1)), snapshot($0.element)) }
    )
  }

  /// Of one instant the last snapshot, and none that equals the one kept before.
  func history(_ snapshots: [(time: Int, snapshot: JSON)]) -> JSON {
    var kept: [(time: Int, snapshot: JSON)] = []
    var pending: (time: Int, snapshot: JSON)?
    func keep() {
      guard let candidate = pending, candidate.snapshot != kept.last?.snapshot else { return }
      kept.append(candidate)
    }
    for element in snapshots {
      if let last = pending, last.time != element.time { keep() }
      pending = element
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
        ("data", JSON(erased: info.data)),
        ("dataUpdatedAt", info.dataUpdatedAt.map(Simulation.milliseconds)),
        ("error", info.error.map { .string(message(of: $0)) }),
        ("isInvalidated", info.isInvalidated ? true : nil),
        ("observers", .int(info.observerCount)),
        ("dataUpdateCount", info.dataUpdateCount == 0 ? nil : .int(info.dataUpdateCount)),
        ("errorUpdateCount", info.errorUpdateCount == 0 ? nil : .int(info.errorUpdateCount)),
      ])
    }
    let mutations = client(name).mutations().map { info -> JSON in
      .fields([
        ("status", .string(info.status.rawValue)),
        ("isPaused", info.isPaused ? true : nil),
        ("variables", info.input as? JSON),
        ("failureCount", info.failureCount == 0 ? nil : .int(info.failureCount)),
      ])
    }
    return ["queries": .array(queries), "mutations": .array(mutations)]
  }
}
