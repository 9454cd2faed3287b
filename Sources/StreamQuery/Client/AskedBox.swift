import Synchronization

/// What an observer handle was last told to observe.
final class AskedBox<Value: Sendable>: Sendable {
  /// With the number of the update that asked for it.
  typealias Asked = (query: Query<Value>, options: ObserverOptions?, serial: Int)

  /// The options are out of line: they are large, and most handles have none.
  private struct State {
    var query: Query<Value>
    var options: BoxedObserverOptions?
    var serial = 0

    var asked: Asked { (query, options?.value, serial) }
  }

  private let state: Mutex<State>

  init(query: Query<Value>, options: ObserverOptions?) {
    state = Mutex(State(query: query, options: options.map(BoxedObserverOptions.init)))
  }

  var value: Asked { state.withLock { $0 }.asked }

  var query: Query<Value> { state.withLock { $0.query } }

  /// Stores what is to be observed; returns the former value as well.
  func update(_ query: Query<Value>?, _ options: ObserverOptions?) -> (old: Asked, new: Asked) {
    let box = options.map(BoxedObserverOptions.init)
    // Both leave the lock, so that dropped closures are released outside it.
    let (old, new) = state.withLock { state in
      let old = state
      state = State(
        query: query ?? state.query,
        options: box ?? state.options,
        serial: state.serial + 1
      )
      return (old, state)
    }
    return (old.asked, new.asked)
  }
}

/// Options of an observer, out of line.
private final class BoxedObserverOptions: Sendable {
  let value: ObserverOptions

  init(_ value: ObserverOptions) { self.value = value }
}
