/// What one caller learns about the fetch that it waited for.
enum WaitOutcome: Sendable {
  case value(ValueBox)
  case failure(any Error)
  case cancelled
  /// The fetch settled: for callers that only watch.
  case settled
}
