internal import StreamQuery

/// Decides whether the error of a result is thrown.
struct ThrowingStep {
  let shouldThrow: @Sendable (any Error) -> Bool
  /// The last error for which `shouldThrow` returned `false`.
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
