import Synchronization

/// Lets one task pass once another one has come by.
///
/// The wait is short and not cancelled: whoever comes by opens it as the first thing it does.
final class Turnstile: Sendable {
  private enum State {
    case shut
    case awaited(UnsafeContinuation<Void, Never>)
    case open
  }

  private let state = Mutex(State.shut)

  func open() {
    let waiting = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      defer { state = .open }
      if case .awaited(let waiting) = state { return waiting }
      return nil
    }
    waiting?.resume()
  }

  func pass() async {
    if case .open = state.withLock({ $0 }) { return }
    await withUnsafeContinuation { continuation in
      let isOpen = state.withLock { state in
        if case .open = state { return true }
        state = .awaited(continuation)
        return false
      }
      if isOpen { continuation.resume() }
    }
  }
}
