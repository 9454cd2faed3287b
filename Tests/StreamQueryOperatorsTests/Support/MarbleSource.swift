import Synchronization

/// The failure of an input, `^`.
struct MarbleFailure: Error, Equatable {}

/// An input of a diagram: it plays its line whether or not anybody listens.
///
/// Every iterator hears what comes while it lives, in a buffer of its own; the first one also hears
/// what came before. So the source itself never loses anything. It takes note of who listens.
struct MarbleSource<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  let channel: MarbleChannel<Element, Failure>

  func makeAsyncIterator() -> Iterator {
    Iterator(lease: MarbleLease(channel))
  }

  struct Iterator: AsyncIteratorProtocol {
    let lease: MarbleLease<Element, Failure>

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      try await lease.channel.next(lease.id).get()
    }
  }
}

/// Counts an iterator as a listener for as long as it lives.
final class MarbleLease<Element: Sendable, Failure: Error>: Sendable {
  let channel: MarbleChannel<Element, Failure>
  let id: Int

  init(_ channel: MarbleChannel<Element, Failure>) {
    self.channel = channel
    id = channel.join()
  }

  deinit {
    channel.leave(id)
  }
}

/// What an input has to say and who hears it.
final class MarbleChannel<Element: Sendable, Failure: Error>: Sendable {
  typealias Answer = Result<Element?, Failure>

  private struct Listener {
    var buffer: [Answer] = []
    var waiter: CheckedContinuation<Answer, Never>?
  }

  private struct State {
    var listeners: [Int: Listener] = [:]
    var unheard: [Answer] = []
    var hasEnded = false
    var joined = 0
    var asks = 0
  }

  private let state = Mutex(State())
  private let name: String
  private let log: @Sendable (String) -> Void

  init(name: String, log: @escaping @Sendable (String) -> Void) {
    self.name = name
    self.log = log
  }

  var listeners: Int { state.withLock { $0.listeners.count } }

  /// How often an element was asked for.
  var asks: Int { state.withLock { $0.asks } }

  func join() -> Int {
    defer { log("+" + name) }
    return state.withLock { state in
      state.joined += 1
      state.listeners[state.joined] = Listener(buffer: state.unheard)
      state.unheard = []
      return state.joined
    }
  }

  func leave(_ id: Int) {
    state.withLock { $0.listeners[id] = nil }
    log("-" + name)
  }

  func send(_ answer: Answer) {
    let waiters = state.withLock { state -> [CheckedContinuation<Answer, Never>] in
      if case .success(.some) = answer {} else { state.hasEnded = true }
      if state.joined == 0 { state.unheard.append(answer) }
      return state.listeners.keys.sorted().compactMap { id in
        guard let waiter = state.listeners[id]?.waiter else {
          state.listeners[id]?.buffer.append(answer)
          return nil
        }
        state.listeners[id]?.waiter = nil
        return waiter
      }
    }
    for waiter in waiters { waiter.resume(returning: answer) }
  }

  func next(_ id: Int) async -> Answer {
    state.withLock { $0.asks += 1 }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let answer = state.withLock { state -> Answer? in
          if state.listeners[id]?.buffer.isEmpty == false {
            return state.listeners[id]?.buffer.removeFirst()
          }
          if state.hasEnded || Task.isCancelled { return .success(nil) }
          state.listeners[id]?.waiter = waiter
          return nil
        }
        if let answer { waiter.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.listeners[id]?.waiter = nil }
        return state.listeners[id]?.waiter
      }
      waiter?.resume(returning: .success(nil))
    }
  }
}
