internal import Synchronization

// The client's side of the record of what happens.

nonisolated extension QueryClient {
  /// The record so far.
  var recordSoFar: QueryRecord {
    let time = cache.clock.now()
    let excerpt = cache.read { $0.wholeRecord() }
    // The descriptions of keys and errors are made outside of the lock.
    return QueryRecord(excerpt, at: time.nanoseconds)
  }

  /// A stream of the record: first the whole record, then what was added since the last element.
  func recordStream() -> AsyncStream<QueryRecord> {
    let place = Mutex(RecordExcerpt.Position())
    return stream(of: recordNews.subscribe(), "records") { [weak self] in
      guard let self else { return nil }
      let time = self.cache.clock.now()
      // Several tasks may read one stream, and each piece of news goes to one of them.
      let excerpt = place.withLock { position in
        self.cache.record { $0.takeRecord(since: &position) }
      }
      return excerpt.map { QueryRecord($0, at: time.nanoseconds) }
    }
  }

  /// Keeps the texts of the record's errors in place of the errors, which may refer to any object.
  ///
  /// A client that has ended must hold no object of its users, but its record can still be read.
  func releaseRecordedErrors() {
    let extras = cache.read { $0.recordedErrors() }
    guard !extras.isEmpty else { return }
    var texts: [UInt32: String] = [:]
    // The descriptions are made outside of the lock, because this runs user code.
    for extra in extras { texts[extra.errorNumber] = extra.error.map { String(describing: $0) } }
    transaction(isDated: false) { [texts] in $0.replaceRecordedErrors(by: texts, &$1) }
  }

  /// Writes the data of an entry as a text; this runs user code.
  func write(_ value: RecordedValue) {
    guard let text = configuration.record.values?.text(value.key, value.box.settled.erased) else {
      return
    }
    transaction(isDated: false) { state, _ in state.keepText(text, of: value.event) }
  }
}
