/// What comes from outside of every simulation, and here never does: as a real sleep or the network.
final class OutsideEvent: Sendable {
  private let stream: AsyncStream<Int>
  private let continuation: AsyncStream<Int>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  /// Waits for it, until the task is cancelled.
  func value() async throws -> Int {
    for await value in stream { return value }
    throw CancellationError()
  }
}
