extension QueryRecord {
  /// Checks that the record can be read without any other record.
  ///
  /// - Throws: ``QueryRecordError/malformed(_:)`` for a record that continues another one, and for a
  ///   reference to a row that is missing.
  func checkWholeness() throws(QueryRecordError) {
    // A whole record begins with event 1, or counts the events before its first one as lost.
    if firstNumber > 1, lostCount == 0 {
      throw .malformed("it is a part: the events before event \(firstNumber) are in another")
    }
    try checkReferences()
  }

  /// Checks that the record has everything that its events refer to.
  ///
  /// This is for whole records: an element of ``QueryClient/recordUpdates`` also refers to earlier elements.
  ///
  /// - Throws: ``QueryRecordError/malformed(_:)`` for the first reference to a row that is missing.
  func checkReferences() throws(QueryRecordError) {
    let known = Known(self)
    for key in keys { try known.check(key.base, by: "key \(key.number)") }
    for event in events {
      let name = "event \(event.number)"
      switch event.kind {
      case .entry(let step, let key, let state):
        try Known.check(key, in: known.keys, "key", by: name)
        try known.check(state, by: name)
        try known.check(error: step.error, by: name)
      case .run(let step, let run):
        try Known.check(run, in: known.runs, "run", by: name)
        try known.check(error: step.error, by: name)
      case .persistenceFailed(_, _, let error): try known.check(error: error, by: name)
      case .network, .activity, .trigger, .bulk, .lost: break
      }
    }
  }

  /// The numbers of the record's keys, runs, errors and options.
  private struct Known {
    let keys: Set<Int>
    let runs: Set<Int>
    let errors: Set<Int>
    let options: Set<Int>

    init(_ record: QueryRecord) {
      keys = Set(record.keys.map(\.number))
      runs = Set(record.runs.map(\.number))
      errors = Set(record.errors.map(\.number))
      options = Set(record.options.map(\.number))
    }

    func check(_ state: State?, by name: String) throws(QueryRecordError) {
      try Self.check(state?.options, in: options, "options", by: name)
    }

    func check(error: Int?, by name: String) throws(QueryRecordError) {
      try Self.check(error, in: errors, "error", by: name)
    }

    static func check(
      _ number: Int?,
      in known: Set<Int>,
      _ kind: String,
      by name: String
    ) throws(QueryRecordError) {
      guard let number, !known.contains(number) else { return }
      throw .malformed("\(name) refers to \(kind) \(number), which is missing")
    }
  }
}

extension QueryRecord.EntryStep {
  /// The error of the step.
  fileprivate var error: Int? {
    switch self {
    case .attemptFailed(_, _, _, let error), .fetchFailed(_, let error): error
    case .changed, .added, .removed, .observed, .unobserved, .fetchStarted, .fetchPaused,
      .fetchResumed, .fetchSucceeded, .fetchCancelled, .written, .invalidated, .reset,
      .servedStale, .layered, .unlayered, .adopted:
      nil
    }
  }
}

extension QueryRecord.RunStep {
  /// The error of the step.
  fileprivate var error: Int? {
    switch self {
    case .attemptFailed(_, _, let error), .stopped(let error), .callbackFailed(let error, _),
      .failed(let error):
      error
    case .started, .paused, .resumed, .performing, .succeeded, .cancelled: nil
    }
  }
}
