/// Where a run comes from.
enum RunOrigin {
  /// The run begins here; the generator returned these numbers.
  case here(random: (high: UInt64, low: UInt64))
  /// The run comes from an archive.
  case archive(RunIdentity, submittedAt: Timestamp)

  /// When the run was submitted, if that was before.
  var submittedAt: Timestamp? {
    if case .archive(_, let submittedAt) = self { submittedAt } else { nil }
  }

  /// Returns the identity of the run.
  ///
  /// - Parameters:
  ///   - serial: Its number within the client.
  ///   - now: The time of the transaction.
  /// - Returns: The identity.
  func identity(serial: UInt64, at now: Timestamp) -> RunIdentity {
    switch self {
    case .here(let random): RunIdentity(random: random, serial: serial, date: now.date)
    case .archive(let identity, _): identity
    }
  }
}
