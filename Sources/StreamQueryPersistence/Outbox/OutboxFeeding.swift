/// Decides which thread *feeds*, that is, begins runs for items without runs; only one thread feeds at a
/// time.
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
/// - While one thread feeds, no other thread does.
/// - Before a thread rests, it examines everything that has changed meanwhile.
/// - Runs that wait for the store go on after the runs of the stored items have begun.
enum OutboxFeeding: Equatable, Sendable {
  case resting
  /// A thread begins runs.
  ///
  /// - isAskedAgain: Whether that thread has to look for further work afterwards.
  /// - opens: Whether the runs that wait for the store go on afterwards.
  case feeding(isAskedAgain: Bool, opens: Bool)

  /// Lets a thread ask whether it should feed, because items or mutations may have come.
  ///
  /// If another thread is feeding, that thread looks again, and the caller gets `nil`.
  ///
  /// - Parameter work: The work that can be done; `nil` if there is none.
  /// - Returns: The work that the caller has to do.
  mutating func asked<Work>(for work: Work?) -> Work? {
    guard self == .resting else {
      missed()
      return nil
    }
    if work != nil { self = .feeding(isAskedAgain: false, opens: false) }
    return work
  }

  /// Lets the feeding thread look again, because it has missed a change.
  mutating func missed() {
    if case .feeding(_, let opens) = self { self = .feeding(isAskedAgain: true, opens: opens) }
  }

  /// Notes that the store was read for the first time.
  ///
  /// - Returns: `true` if the runs that wait for the store go on now; `false` if they go on after the feeding
  ///   thread has begun the runs of stored items.
  mutating func loaded() -> Bool {
    guard case .feeding(let isAskedAgain, _) = self else { return true }
    self = .feeding(isAskedAgain: isAskedAgain, opens: true)
    return false
  }

  /// Notes that the feeding thread has begun the runs of its work.
  ///
  /// - Parameter work: The further work that can be done; `nil` if there is none.
  /// - Returns: The work that the thread has to do next, and whether the runs that wait for the store go on.
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
