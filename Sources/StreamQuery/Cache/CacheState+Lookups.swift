extension CacheState {
  /// Whether there are listeners for events.
  var emitsEvents: Bool {
    @inline(__always) get { events.events }
  }

  /// Records what a caller or an observer found.
  @inline(__always)
  mutating func note(_ lookup: CacheLookup, _ index: Int, _ transaction: Transaction) {
    lookups.count(lookup)
    if isLimited { noteUse(of: index) }
    if events.lookups { emit(lookup, index, transaction) }
  }

  // Separate, so that transactions without listeners do not pay for it.
  @inline(never)
  private mutating func emit(_ lookup: CacheLookup, _ index: Int, _ transaction: Transaction) {
    emit(.lookup(lookup), index, transaction)
  }
}
