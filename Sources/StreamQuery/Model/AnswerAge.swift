/// What a fetch said about how old its answer is.
package struct AnswerAge: Hashable, Sendable {
  /// When the answer was up to date.
  package var updatedAt: Timestamp
  /// Whether something has changed since, if that is known.
  package var isOutdated: Bool?

  /// Creates an age.
  ///
  /// - Parameters:
  ///   - updatedAt: When the answer was up to date.
  ///   - isOutdated: Whether something has changed since, if that is known.
  package init(updatedAt: Timestamp, isOutdated: Bool? = nil) {
    self.updatedAt = updatedAt
    self.isOutdated = isOutdated
  }
}

extension AnswerAge {
  /// When the answer was up to date, which is not after it landed.
  ///
  /// - Parameter now: When it lands.
  /// - Returns: The date of the data.
  func date(at now: Timestamp) -> Timestamp {
    updatedAt.instant < now.instant ? updatedAt : now
  }

  /// The age of an answer that consists of two: that of the older one.
  ///
  /// It is outdated if either answer is, and known to be up to date only if both are.
  ///
  /// - Parameter other: The age of the other answer; `nil` is new.
  /// - Returns: The age of both.
  func joined(with other: AnswerAge?) -> AnswerAge {
    guard let other else { return self }
    let older = updatedAt.instant < other.updatedAt.instant ? updatedAt : other.updatedAt
    if isOutdated == true || other.isOutdated == true {
      return AnswerAge(updatedAt: older, isOutdated: true)
    }
    let isKnown = isOutdated != nil && other.isOutdated != nil
    return AnswerAge(updatedAt: older, isOutdated: isKnown ? false : nil)
  }
}
