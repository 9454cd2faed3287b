#if DEBUG
import Synchronization
#endif

nonisolated extension QueryClient {
  /// Reports once that a missing key looks like a cached one; in debug builds.
  func noteMiss<Value>(of key: EntryKey, _ type: Value.Type) {
    #if DEBUG
    let found = cache.read { state -> EntryKey? in
      let found = state.slots.keys.lookAlike(of: key.storage) { id in
        let slot = state.slots[Int(id)]
        return slot.machine.hasData && slot.key != key
      }
      return found.flatMap { state.slots[Int($0)].key }
    }
    guard let found else { return }
    reportOnce(
      found.storage == key.storage
        ? .otherValueType(
          key: key.key.description,
          cached: found.valueTypeName,
          asked: String(reflecting: type)
        )
        : .similarKey(cached: typedText(of: found), asked: typedText(of: key))
    )
    #endif
  }

  /// Reports once that several tasks wait for the next element of one stream; in debug builds.
  func noteSharedStream(of key: EntryKey) {
    #if DEBUG
    reportOnce(.sharedStream(key: key.key.description))
    #endif
  }

  #if DEBUG
  private func reportOnce(_ misuse: QueryMisuse) {
    let isNew = toldMisuses.withLock { told in told.count < 100 && told.insert(misuse).inserted }
    if isNew { report(misuse) }
  }
  #endif
}

#if DEBUG
/// A key's text, with the type of each part whose text does not show its type: `["user", Int64(1)]`.
private func typedText(of key: EntryKey) -> String {
  let parts = key.storage.parts.map { part in
    if case .boxed(let box) = part {
      "\(type(of: box.value))(\(part.logText()))"
    } else {
      part.logText()
    }
  }
  return "[" + parts.joined(separator: ", ") + "]"
}
#endif
