extension CacheState {
  /// The present state of an entry that was being fetched.
  borrowing func presence(of key: EntryKey, at now: Instant) -> ExportPresence {
    guard let index = find(key) else { return .gone }
    switch exportProgress(index) {
    case .first: return .fetching
    // A fetch that waits for an import, or shows parts: the receiver must not wait for it.
    case .partial, .incomplete, .uncertain: return .gone
    case .none:
      return info(index, at: max(now, latest.instant)).map { .settled($0) } ?? .gone
    }
  }

  /// The progress of an entry's fetch for archives.
  func exportProgress(_ index: Int) -> ExportProgress {
    let isFetching = slots[index].machine.isFetching
    if slots[index].machine.extent == .part {
      return isFetching && slots[index].machine.isArriving ? .partial : .incomplete
    }
    guard let current = slots[index].machine.fetch, isFetching else { return .none }
    guard !slots[index].machine.hasData else { return .none }
    // A query that shows parts, such as a streamed one, may never be complete.
    return current.fetchOptions.showsParts || slots[index].machine.isHeld ? .uncertain : .first
  }
}

/// The state of an entry that an export awaits.
package enum ExportPresence {
  case fetching
  /// The fetch has ended or is paused, with or without data.
  case settled(QueryInfo)
  case gone
}

/// The progress of a fetch for archives of its entry.
package enum ExportProgress: Equatable, Sendable {
  /// There is no fetch, or there is data that the fetch is going to replace.
  case none
  /// The fetch is going to bring the first data.
  case first
  /// The fetch brings the first data, but perhaps in parts, or it waits for an import itself.
  case uncertain
  /// The data is a part of the fetch's value.
  case partial
  /// The data is a part, but there is nothing to wait for: the stream has no end, or is over.
  case incomplete
}
