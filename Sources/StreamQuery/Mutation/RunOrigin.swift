/// Where a run comes from.
enum RunOrigin {
  /// The run begins here; the generator returned these numbers.
  case here(random: (high: UInt64, low: UInt64))
  /// The run comes from an archive.
  case archive(RunIdentity, revision: UInt64, submittedAt: Timestamp)
  /// The run was kept by an earlier process; its number is below those of all runs that began here.
  case keeper(RunIdentity, revision: UInt64, serial: UInt64, submittedAt: Timestamp)

  /// When the run was submitted, if that was before.
  var submittedAt: Timestamp? {
    switch self {
    case .here: nil
    case .archive(_, _, let submittedAt), .keeper(_, _, _, let submittedAt): submittedAt
    }
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
    case .archive(let identity, _, _), .keeper(let identity, _, _, _): identity
    }
  }

  /// How often the input was changed before.
  var revision: UInt64 {
    switch self {
    case .here: 0
    case .archive(_, let revision, _), .keeper(_, let revision, _, _): revision
    }
  }

  /// The number of the run, if it is given.
  var serial: UInt64? {
    if case .keeper(_, _, let serial, _) = self { serial } else { nil }
  }
}
