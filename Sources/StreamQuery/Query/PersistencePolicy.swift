/// Says where the data of entries is kept beyond the cache: an object that only the feature that
/// keeps it understands.
protocol PersistencePolicy: AnyObject, Sendable {
  /// Whether nothing is kept after all, whatever a weaker policy says.
  var isOff: Bool { get }
}
