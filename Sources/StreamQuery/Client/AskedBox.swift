import Synchronization

/// What an observer handle was last told to observe.
final class AskedBox<Value: Sendable>: Sendable {
  /// With the number of the update that asked for it.
  typealias Asked = (query: Query<Value>, options: ObserverOptions?, serial: Int)

  private let state: Mutex<Asked>

  init(query: Query<Value>, options: ObserverOptions?) {
    state = Mutex((query, options, 0))
  }

  var value: Asked { state.withLock { $0 } }

  /// Stores what is to be observed; returns the former value as well.
  func update(_ query: Query<Value>?, _ options: ObserverOptions?) -> (old: Asked, new: Asked) {
    // Both leave the lock, so that dropped closures are released outside it.
    state.withLock { asked in
      let old = asked
      asked = (query ?? asked.query, options ?? asked.options, asked.serial + 1)
      return (old, asked)
    }
  }
}
