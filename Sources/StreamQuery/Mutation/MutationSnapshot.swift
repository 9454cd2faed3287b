/// One version of a run's state, immutable and shared by all its observers.
final class MutationSnapshot: Sendable {
  /// Unique within a client; later versions are greater.
  let version: UInt64
  let job: MutationJob
  let input: ValueBox
  /// How often the input was changed.
  let revision: UInt64
  let status: MutationStatus
  let isPaused: Bool
  let failureCount: Int
  let output: ValueBox?
  let error: ErrorBox?
  let failureReason: ErrorBox?
  let saved: SavedValues

  init(version: UInt64, job: MutationJob, slot: borrowing MutationSlot) {
    self.version = version
    self.job = job
    input = job.input
    revision = job.revision
    status =
      switch slot.machine.ending {
      case nil: .pending
      case .succeeded: .success
      case .failed: .error
      case .cancelled: .idle
      }
    isPaused = slot.machine.isPaused
    failureCount = slot.machine.failureCount
    output = status == .success ? slot.output : nil
    error = status == .error ? slot.error : nil
    failureReason = slot.machine.failureCount > 0 ? slot.failureReason : nil
    saved = job.saved
  }

  var id: MutationID { job.id }

  var key: EntryKey { job.key }

  var requestIdentity: RunIdentity { job.identity.revised(revision) }

  /// Whether two snapshots of one run show the same state, whatever their versions.
  func showsTheSame(as other: MutationSnapshot) -> Bool {
    status == other.status && isPaused == other.isPaused && failureCount == other.failureCount
      && input === other.input && output === other.output && error === other.error
      && failureReason === other.failureReason
      && saved.values.count == other.saved.values.count
  }
}
