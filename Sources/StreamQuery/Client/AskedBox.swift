import Synchronization

/// What an observer handle was last told to observe.
final class AskedBox<Value: Sendable>: Sendable {
  typealias Asked = (query: Query<Value>, options: ObserverOptions?)

  private let state: Mutex<Asked>

  init(query: Query<Value>, options: ObserverOptions?) {
    state = Mutex((query, options))
  }

  var value: Asked { state.withLock { $0 } }

  func update(_ query: Query<Value>?, _ options: ObserverOptions?) -> Asked {
    let (old, new) = state.withLock { asked -> (Asked, Asked) in
      let old = asked
      asked = (query ?? asked.query, options ?? asked.options)
      return (old, asked)
    }
    // Old closures go here, outside the lock.
    _ = old
    return new
  }
}
