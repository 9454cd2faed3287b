/// The data that a streamed fetch found when it started: its retries start from there, and so does
/// the fetch if it is restarted.
final class StreamStart: FetchProgress {
  let base: ValueBox?
  /// Whether the fetch has shown anything since, which its next start replaces.
  let hasShown: Bool
  /// Whether it was found by the fetch that this one restarts.
  let isInherited: Bool
  /// Whether all of the stream was shown: the cache has the value, updates included.
  let joins: Bool

  init(
    base: ValueBox?,
    hasShown: Bool = false,
    isInherited: Bool = false,
    joins: Bool = false
  ) {
    self.base = base
    self.hasShown = hasShown
    self.isInherited = isInherited
    self.joins = joins
  }

  func restarted() -> (any FetchProgress)? {
    StreamStart(base: base, hasShown: hasShown, isInherited: true)
  }

  /// The data holds what the stream has shown, and is no base any more.
  func repeated(from start: (any FetchProgress)?) -> (any FetchProgress)? {
    StreamStart(base: base, hasShown: hasShown)
  }

  func landed(on present: ValueBox?) -> ValueBox? { present }
}
