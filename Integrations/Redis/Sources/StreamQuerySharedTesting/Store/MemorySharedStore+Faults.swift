internal import StreamQueryShared

/// The faults of servers.
extension MemorySharedStore {
  /// Ends the server: calls fail at once, including calls that wait for changes.
  public func crash() { change { $0.condition = .crashed } }

  /// Starts the server again, or continues after a pause.
  ///
  /// - Parameter forgetting: Whether it has lost all entries, and has another history.
  public func restart(forgetting: Bool = false) {
    change { state in
      if forgetting { state.forget(name: name) }
      state.condition = .runs
    }
  }

  /// Removes all entries, as `FLUSHALL` does: another history begins.
  public func forget() { change { $0.forget(name: name) } }

  /// Stops the server without ending it: calls wait.
  public func pause() { change { $0.condition = .paused } }

  /// Continues a paused server, with the calls that wait.
  public func resume() { change { $0.condition = .runs } }

  /// Continues with another model, such as that of a replica: an earlier copy of ``model``.
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
