/// What one caller learns about the fetch that it waited for.
enum WaitOutcome: Sendable {
  case value(ValueBox)
  case failure(any Error)
  case cancelled
  /// The fetch settled: for callers that only watch.
  case settled

  /// The fetched value; throws if there is none.
  var box: ValueBox {
    get throws {
      switch self {
      case .value(let box): return box.settled
      case .failure(let error): throw error
      case .cancelled, .settled: throw CancellationError()
      }
    }
  }
}
