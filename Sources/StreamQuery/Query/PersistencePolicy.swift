/// Says where the data of entries is kept beyond the cache: an object that only the feature that
/// keeps it understands.
package protocol PersistencePolicy: AnyObject, Sendable {
  /// Whether nothing is kept after all, whatever a weaker policy says.
  var isOff: Bool { get }
}

extension Query {
  /// Keeps the data of the query under a policy.
  package consuming func persisted(by policy: any PersistencePolicy) -> Self {
    changed { $0.changeExtras { $0.persistence = policy } }
  }
}
