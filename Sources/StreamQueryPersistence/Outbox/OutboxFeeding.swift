/// Whether runs are begun for open items, which one thread does at a time.
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
/// - Whatever comes while a thread feeds is looked at before it rests.
/// - What waits for the store goes on after the items that were in it have begun.
enum OutboxFeeding: Equatable, Sendable {
  case resting
  /// - isAskedAgain: Whether there may be more to do.
  /// - opens: Whether what waits for the store goes on afterwards.
  case feeding(isAskedAgain: Bool, opens: Bool)

  /// Items or mutations may have come.
  ///
  /// - Parameter work: What can be done, if there is anything.
  /// - Returns: What the caller does.
  mutating func asked<Work>(for work: Work?) -> Work? {
    guard self == .resting else {
      missed()
      return nil
    }
    if work != nil { self = .feeding(isAskedAgain: false, opens: false) }
    return work
  }

  /// Something changed that the thread at work has not seen.
  mutating func missed() {
    if case .feeding(_, let opens) = self { self = .feeding(isAskedAgain: true, opens: opens) }
  }

  /// The store was read for the first time.
  ///
  /// - Returns: Whether what waited for that goes on now.
  mutating func loaded() -> Bool {
    guard case .feeding(let isAskedAgain, _) = self else { return true }
    self = .feeding(isAskedAgain: isAskedAgain, opens: true)
    return false
  }

  /// A thread has begun runs.
  ///
  /// - Parameter work: What else can be done, if there is anything.
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
