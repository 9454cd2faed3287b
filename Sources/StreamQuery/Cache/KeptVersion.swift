/// Tells whether what a store keeps may have changed while it was decoded, outside the lock.
struct KeptVersion: Hashable, Sendable {
  /// Raised when a store has been read, and when kept data is removed.
  var contents = 0
  /// Raised when kept data is invalidated.
  var marks = 0
}

extension CacheState {
  /// What a store kept at a former version, as it may be placed now.
  ///
  /// - Parameters:
  ///   - initialData: What was decoded.
  ///   - version: ``kept`` before the store was asked.
  ///   - isLast: Whether to take data as invalidated if any was, instead of asking again: that may happen
  ///     more often than large data can be decoded.
  /// - Returns: The data; `nil` if the store has to be asked again.
  func current(_ initialData: InitialData, asOf version: KeptVersion, isLast: Bool) -> InitialData?
  {
    guard kept.contents == version.contents else { return nil }
    guard kept.marks != version.marks else { return initialData }
    guard isLast else { return nil }
    var initialData = initialData
    initialData.isInvalidated = true
    return initialData
  }
}
