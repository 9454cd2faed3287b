internal import StreamQueryShared

/// Makes the store fail like a server.
extension MemorySharedStore {
  /// Ends the server: calls fail at once, including calls that wait for changes.
  public func crash() { change { $0.condition = .crashed } }

  /// Starts the server again, or continues after a pause.
  ///
  /// - Parameter forgetting: Whether the server has lost all entries, and begins another history.
  public func restart(forgetting: Bool = false) {
    change { state in
      if forgetting { state.forget(name: name) }
      state.condition = .runs
    }
  }

  /// Removes all entries, as `FLUSHALL` does: another history begins.
  public func forget() { change { $0.forget(name: name) } }

  /// Pauses the server, so that calls wait.
  public func pause() { change { $0.condition = .paused } }

  /// Continues a paused server, with the calls that wait.
  public func resume() { change { $0.condition = .runs } }

  /// Continues with the state of a replica, such as an earlier copy of ``model``.
  ///
  /// - Parameter replica: The state of the replica.
  public func failOver(to replica: SharedStoreModel) {
    change { state in
      state.model = replica
      state.condition = .runs
    }
  }
}

extension MemorySharedStore.State {
  fileprivate mutating func forget(name: String) {
    lives += 1
    model = SharedStoreModel(history: SharedHistory("\(name)-\(lives)"), limits: model.limits)
  }
}
