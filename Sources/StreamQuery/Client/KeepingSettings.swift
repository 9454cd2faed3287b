/// Where a client keeps data beyond the process: empty unless something is linked that can.
package struct KeepingSettings: Sendable {
  /// Where the data of queries is kept beyond the cache, unless they say otherwise.
  package var policy: (any PersistencePolicy)?
  /// What keeps runs of mutations beyond the process.
  package var runs: (any RunKeeperMaking)?
  private var others: [ObjectIdentifier: any Sendable] = [:]

  /// Further settings, which their type tells apart; the client knows nothing of them.
  package subscript<Value: Sendable>(_ type: Value.Type) -> Value? {
    get { others[ObjectIdentifier(type)] as? Value }
    set { others[ObjectIdentifier(type)] = newValue }
  }
}
