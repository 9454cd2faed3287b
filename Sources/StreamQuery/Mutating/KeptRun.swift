/// A run that an earlier process has kept, on its way into the cache.
struct KeptRun: Sendable {
  var identity: RunIdentity
  /// How often its input was changed.
  var revision: UInt64
  /// Its number among the runs of the client.
  var serial: UInt64
  var mutation: ResolvedMutation
  var input: ValueBox
  var layers: [PlannedLayer]
  /// Seconds since the reference date.
  var submittedAt: Double
}
