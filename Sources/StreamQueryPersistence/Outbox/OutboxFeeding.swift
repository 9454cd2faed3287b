/// Decides which thread begins runs for open items; one thread does so at a time.
///
/// | input \ state | resting | feeding | feeding, asked again |
/// |---|---|---|---|
/// | `asked`, with work | feeding | asked again | – |
/// | `asked`, without work | – | asked again | – |
/// | `missed` | – | asked again | – |
/// | `loaded` | open at once | remember | remember |
/// | `fed`, with work | – | resting, open if `loaded` | feeding |
/// | `fed`, without work | – | resting, open if `loaded` | resting, open if `loaded` |
///
/// - While a thread feeds, no other one does.
/// - Before a thread rests, it looks at everything that came meanwhile.
/// - Runs that wait for the store go on when the runs of the stored items have begun.
enum OutboxFeeding: Equatable, Sendable {
  case resting
  /// - isAskedAgain: Whether there may be more to do.
  /// - opens: Whether the runs that wait for the store go on afterwards.
  case feeding(isAskedAgain: Bool, opens: Bool)

  /// Items or mutations may have come.
  ///
  /// - Parameter work: The work that can be done, if there is any.
  /// - Returns: The work that the caller has to do.
  mutating func asked<Work>(for work: Work?) -> Work? {
    guard self == .resting else {
      missed()
      return nil
    }
    if work != nil { self = .feeding(isAskedAgain: false, opens: false) }
    return work
  }

  /// Something changed that the feeding thread has not seen.
  mutating func missed() {
    if case .feeding(_, let opens) = self { self = .feeding(isAskedAgain: true, opens: opens) }
  }

  /// The store was read for the first time.
  ///
  /// - Returns: Whether the runs that waited for that go on now.
  mutating func loaded() -> Bool {
    guard case .feeding(let isAskedAgain, _) = self else { return true }
    self = .feeding(isAskedAgain: isAskedAgain, opens: true)
    return false
  }

  /// A thread has begun runs.
  ///
  /// - Parameter work: The further work that can be done, if there is any.
  /// - Returns: The next step, and whether the runs that waited for the store go on.
  mutating func fed<Work>(for work: Work?) -> (next: Work?, opens: Bool) {
    guard case .feeding(let isAskedAgain, let opens) = self else { return (nil, false) }
    if isAskedAgain, let work {
      self = .feeding(isAskedAgain: false, opens: opens)
      return (work, false)
    }
    self = .resting
    return (nil, opens)
  }
}
