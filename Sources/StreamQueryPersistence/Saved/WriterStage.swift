/// The stage of a client's writing to a store.
///
/// | input \ stage | running | ending | over | erased |
/// |---|---|---|---|---|
/// | `ended(isErased: false)` | ending | – | – | – |
/// | `ended(isErased: true)` | erased | erased | erased | – |
/// | `resumed` | – | – | ending | – |
/// | `wrote`, and writes again | – | remember | ending | – |
/// | `wrote`, the last round | – | over | remember | – |
///
/// - After its end, the client accepts no new changes; the next client sends the remaining runs.
/// - After the last round nothing is written, unless a run that was still being sent ends.
/// - Erased data is never written again.
enum WriterStage: Sendable {
  /// The client accepts changes.
  case running
  /// The client has ended, and still writes its changes; the value is the error of the newest round since the
  /// end.
  case ending(QueryStoreError?)
  /// The last round is over; the value is the error of that round.
  case over(QueryStoreError?)
  /// All data was erased.
  case erased

  var hasEnded: Bool { if case .running = self { false } else { true } }

  var isErased: Bool { if case .erased = self { true } else { false } }

  /// Whether nothing is written any more.
  var isOver: Bool {
    switch self {
    case .running, .ending: false
    case .over, .erased: true
    }
  }

  /// The error of the newest write since the client's end.
  var error: QueryStoreError? {
    switch self {
    case .running, .erased: nil
    case .ending(let error), .over(let error): error
    }
  }

  /// Notes that the client ends.
  ///
  /// - Parameter isErased: Whether all data is erased, so that nothing is written any more.
  /// - Returns: Whether the client had not ended before.
  mutating func ended(isErased: Bool) -> Bool {
    let hadEnded = hasEnded
    if isErased {
      self = .erased
    } else if !hadEnded {
      self = .ending(nil)
    }
    return !hadEnded
  }

  /// Notes the end of a run that was still being sent when the client ended: there is more to write.
  mutating func resumed() {
    if case .over(let error) = self { self = .ending(error) }
  }

  /// Notes that a round of writing is over.
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
