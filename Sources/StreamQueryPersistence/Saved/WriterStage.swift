/// How far the work on a store is.
///
/// | input \ stage | running | ending | over | erased |
/// |---|---|---|---|---|
/// | `ended(isErased: false)` | ending | – | – | – |
/// | `ended(isErased: true)` | erased | erased | erased | – |
/// | `resumed` | – | – | ending | – |
/// | `wrote`, and writes again | – | remember | ending | – |
/// | `wrote`, the last round | – | over | remember | – |
///
/// - After the end the client accepts no new changes; the next client does the rest.
/// - After the last round nothing is written, unless a run that was still being sent gets its
///   answer.
/// - Erased data is never written again.
enum WriterStage: Sendable {
  /// The client accepts changes.
  case running
  /// The client has ended, and writes the changes until then.
  ///
  /// The error is that of the last round since then.
  case ending(QueryStoreError?)
  /// The last round is over, with this error.
  case over(QueryStoreError?)
  /// All data was forgotten.
  case erased

  var hasEnded: Bool { if case .running = self { false } else { true } }

  var isErased: Bool { if case .erased = self { true } else { false } }

  /// Whether nothing is written.
  var isOver: Bool {
    switch self {
    case .running, .ending: false
    case .over, .erased: true
    }
  }

  /// The error of writing after the end.
  var error: QueryStoreError? {
    switch self {
    case .running, .erased: nil
    case .ending(let error), .over(let error): error
    }
  }

  /// The client ends.
  ///
  /// - Parameter isErased: Whether nothing is written any more.
  /// - Returns: Whether it had not ended before.
  mutating func ended(isErased: Bool) -> Bool {
    let hadEnded = hasEnded
    if isErased {
      self = .erased
    } else if !hadEnded {
      self = .ending(nil)
    }
    return !hadEnded
  }

  /// The answer of a run that was still being sent came after the end: there is something to write.
  mutating func resumed() {
    if case .over(let error) = self { self = .ending(error) }
  }

  /// A round of writing is over.
  ///
  /// - Parameters:
  ///   - error: The error of the round, if any.
  ///   - isLast: Whether no other round follows.
  mutating func wrote(_ error: QueryStoreError?, isLast: Bool) {
    switch self {
    case .running, .erased: break
    case .ending, .over: self = isLast ? .over(error) : .ending(error)
    }
  }
}
