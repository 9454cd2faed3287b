/// A connected trigger stream: it feeds the client until it ends, is cancelled, or this handle or
/// the client is released.
public final class TriggerConnection: Sendable {
  private let task: Task<Void, Never>
  private let shutdownHandlers: ShutdownHandlers
  private let ending: Int?

  init(task: Task<Void, Never>, shutdownHandlers: ShutdownHandlers) {
    self.task = task
    self.shutdownHandlers = shutdownHandlers
    ending = shutdownHandlers.add { task.cancel() }
    // The client has ended already.
    if ending == nil { task.cancel() }
  }

  deinit {
    cancel()
  }

  /// Disconnects the stream; a second call is a no-op.
  public func cancel() {
    task.cancel()
    if let ending { shutdownHandlers.remove(ending) }
  }
}
