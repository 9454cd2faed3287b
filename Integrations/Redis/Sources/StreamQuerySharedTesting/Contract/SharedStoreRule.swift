/// A rule for every shared store, as ``SharedStoreContract`` checks it.
public enum SharedStoreRule: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
  /// Without an entry, the first caller leads.
  case startsEmpty = "Where there is no entry, the first leads without one."
  /// A committed value is found, byte for byte, with the name of its encoding and its version.
  case keepsBytes = "What is committed is found, byte for byte, with its form and version."
  /// A written value replaces the former one.
  case replaces = "What is written is found in place of what was there."
  /// Different keys share nothing.
  case keepsApart = "Different keys share nothing."
  /// An entry grows older, and is accepted up to the requested age.
  case measuresAges = "An entry grows older, and is accepted up to the age that is asked for."
  /// Without an age no entry is accepted.
  case acceptsNoAge = "Without an age no entry is accepted."
  /// An entry is gone at the end of its lifetime.
  case endsLifetimes = "An entry is gone at the end of its lifetime."
  /// Of many callers that begin at once, one leads and the others follow.
  case oneLeads = "Of many that begin at once, one leads and the others follow."
  /// A lease ends with its time, and the next one has a higher token.
  case endsLeases = "A lease ends with its time, and the next one has a higher token."
  /// A renewed lease lasts for the new duration after its renewal.
  case renews = "A renewed lease lasts from then on."
  /// A lease that is not valid any more cannot be renewed, commits nothing, and ends no other lease.
  case fences =
    "A lease that is not valid any more cannot be renewed, commits nothing, and ends no other lease."
  /// A lease ends when it is committed, and commits once.
  case commitsOnce = "A lease ends when it is committed, and commits once."
  /// A lease ends when it is abandoned.
  case abandons = "A lease ends when it is abandoned."
  /// A lease of another history or with another token is not valid.
  case refusesForgeries = "A lease of another history or with another token is not valid."
  /// Invalidating a mark ends the entries that have it, and no others.
  case invalidates = "Invalidating a mark ends the entries that have it, and no others."
  /// Invalidating a mark ends the leases that have it.
  case invalidatesLeases = "Invalidating a mark ends the leases that have it."
  /// A write ends the lease of its key.
  case writesEndLeases = "A write ends the lease of its key."
  /// An entry has the marks of its lease.
  case keepsMarks = "The marks of an entry are those of its lease."
  /// A reader gets no entry, and follows no lease, from before an invalidation of one of the reader's marks.
  case heedsReaders =
    "Nobody gets an entry or follows a lease that began before an invalidation of a mark of its own."
  /// Versions rise with every change, even if many are made at once.
  case versionsRise = "Versions rise with every change, however many there are at once."
  /// The log tells every change once, in the order of versions.
  case logsChanges = "The log tells every change once, in the order of versions."
  /// A reader that waits for the log gets the next message when it comes.
  case wakesReaders = "Whoever waits for the log gets the next message when it comes."
  /// A reader waits no longer than its limit.
  case waitsNoLonger = "A reader waits no longer than it says."
  /// A reader that is cancelled leaves at once.
  case leavesWhenCancelled = "A reader that is cancelled leaves at once."
  /// A reader from another history, or from a version that was never given, gets a gap.
  case tellsOfGaps =
    "Whoever reads from another history, or from a version that was never given, is told of a gap."
  /// A reader gets all messages after its position, or a gap.
  case losesNothingSilently = "A reader gets all messages after its position, or is told of a gap."
  /// A reader learns whether the log has more messages than it got.
  case saysWhetherThereIsMore = "A reader is told whether the log has more messages than it got."

  /// The rule as a sentence.
  public var description: String { rawValue }
}
