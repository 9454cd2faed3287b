/// The data that a streamed fetch found when it started: its retries start from there, and so does
/// the fetch if it is restarted.
struct StreamStart: FetchProgress {
  var base: ValueBox?
  /// Whether the fetch has shown anything since, which its next start replaces.
  var hasShown = false
  /// Whether it was found by the fetch that this one restarts.
  var isInherited = false
  /// Whether all of the stream was shown: the cache has the value, updates included.
  var joins = false

  func restarted() -> (any FetchProgress)? {
    StreamStart(base: base, hasShown: hasShown, isInherited: true)
  }

  func landed(on present: ValueBox?) -> ValueBox? { present }
}
