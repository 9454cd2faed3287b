extension CacheState {
  /// Records what a caller or an observer found.
  @inline(__always)
  mutating func note(_ lookup: CacheLookup, _ index: Int, _ turn: Turn) {
    lookups.count(lookup)
    if emitsEvents { emit(lookup, index, turn) }
  }

  // Separate, so that turns without listeners do not pay for it.
  @inline(never)
  private mutating func emit(_ lookup: CacheLookup, _ index: Int, _ turn: Turn) {
    emit(.lookup(lookup), index, turn)
  }
}
