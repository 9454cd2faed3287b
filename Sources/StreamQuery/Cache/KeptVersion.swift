/// Tells whether what a store keeps may have changed while it was decoded, outside the lock.
struct KeptVersion: Hashable, Sendable {
  /// How often it became known what a store keeps.
  var reads = 0
  /// How often kept data was removed.
  var removals = 0
  /// How often kept data was invalidated.
  var marks = 0
}

extension CacheState {
  /// What a store kept at a former version, as it may be placed now.
  ///
  /// Anything may have been removed or invalidated, also by the user's code that decodes, and more often than large
  /// data can be decoded. So there is a last time, which takes the data as invalidated, or leaves it where it is kept.
  ///
  /// - Parameters:
  ///   - initialData: What was decoded; `nil` if there was nothing.
  ///   - version: ``kept`` before the store was asked.
  ///   - isLast: Whether it is not asked again because of removals and invalidations.
  /// - Returns: The data, if any is to be placed; `nil` if the store has to be asked again.
  func current(
    _ initialData: InitialData?,
    asOf version: KeptVersion,
    isLast: Bool
  ) -> InitialData?? {
    guard kept.reads == version.reads else { return nil }
    guard kept != version, var initialData else { return .some(initialData) }
    guard isLast else { return nil }
    guard kept.removals == version.removals else { return .some(nil) }
    initialData.isInvalidated = true
    return initialData
  }
}
