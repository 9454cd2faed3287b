/// What the request of a caller that asks for a value led to.
enum FetchStart: Sendable {
  case cached(ValueBox)
  /// A fetch was started or joined.
  case waiting(Waiter)
  case missingFetch
  /// A failure is the answer for a while.
  case failed(ErrorBox)
  /// It is not known yet what a store keeps for the entry.
  case restoring
  /// The fetch waits for the caller.
  case recursive
  case shutDown
}
