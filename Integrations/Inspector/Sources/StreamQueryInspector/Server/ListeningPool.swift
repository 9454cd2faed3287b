internal import FlyingSocks
internal import Synchronization

/// A pool of sockets that reports the loss of the listening socket.
///
/// Without the report, the server would accept no new page, and go on until its last page is closed.
final class ListeningPool: AsyncSocketPool {
  private struct State {
    /// The listening socket: the first socket that waits in the pool.
    var listener: Socket?
    var loss: (any Error)?
    var onLoss: (@Sendable () -> Void)?
  }

  private let base: any AsyncSocketPool
  private let state = Mutex(State())

  init(_ base: some AsyncSocketPool) {
    self.base = base
  }

  /// The error that ended the listening socket; `nil` if it was not lost.
  var loss: (any Error)? { state.withLock(\.loss) }

  /// Calls an action when the listening socket is lost, or at once if it is lost already.
  func onLoss(_ action: @escaping @Sendable () -> Void) {
    let isLost = state.withLock { state in
      state.onLoss = action
      return state.loss != nil
    }
    if isLost { action() }
  }

  func prepare() async throws { try await base.prepare() }

  func run() async throws { try await base.run() }

  func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
    let isListener = state.withLock { state in
      state.listener = state.listener ?? socket
      return state.listener == socket
    }
    do {
      try await base.suspendSocket(socket, untilReadyFor: events)
    } catch {
      if isListener, !(error is CancellationError) { lost(error) }
      throw error
    }
  }

  private func lost(_ error: any Error) {
    let action = state.withLock { state in
      state.loss = error
      return state.onLoss
    }
    action?()
  }
}
