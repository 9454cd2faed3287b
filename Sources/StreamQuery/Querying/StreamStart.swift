/// What a streamed fetch found when it started: its retries start there again, and so does the fetch
/// if it is begun anew.
struct StreamStart: FetchProgress {
  var base: ValueBox?
  /// Whether the fetch showed anything since, which its next beginning takes the place of.
  var hasShown = false
  /// Whether it was found by a fetch of which this one is begun anew.
  var isInherited = false

  func restarted() -> (any FetchProgress)? {
    StreamStart(base: base, hasShown: hasShown, isInherited: true)
  }
}
