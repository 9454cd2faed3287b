internal import StreamQuery

/// Decides which errors of results are thrown.
struct ThrowingStep {
  let shouldThrow: @Sendable (any Error) -> Bool
  /// The last error for which the policy was evaluated, and that stays in the results.
  private var inline: ErrorBox?

  init(shouldThrow: @escaping @Sendable (any Error) -> Bool) {
    self.shouldThrow = shouldThrow
  }

  mutating func error<Value>(of result: QueryResult<Value>) -> (any Error)? {
    guard let box = result.snapshot.error, box !== inline, !result.isFetching else { return nil }
    if shouldThrow(box.error) { return box.error }
    inline = box
    return nil
  }
}
