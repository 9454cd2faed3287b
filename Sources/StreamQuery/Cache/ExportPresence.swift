/// The state of an entry that an export awaits.
package enum ExportPresence {
  case fetching
  /// The fetch has ended or is paused, with or without data.
  case settled(QueryInfo)
  case gone
}

extension CacheState {
  /// What has become of an entry that was being fetched.
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
}
