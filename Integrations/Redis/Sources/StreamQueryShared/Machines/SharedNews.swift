/// The news of the log about a key that another machine fetches.
enum SharedNews: Hashable, Sendable {
  /// The store has a value.
  case arrived
  /// The fetch of the machine with the lease failed.
  case failed(SharedFailure.Report)
  /// The machine with the lease has a value that it could not store.
  case unshareable
  /// The lease has ended without a value, so any machine may take a new lease.
  case free
  /// No message came in time; the machine with the lease may still send one later.
  case silence
}
