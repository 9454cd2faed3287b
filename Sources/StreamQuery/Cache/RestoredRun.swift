/// A run of a mutation that an archive or an earlier process has kept, on its way into the cache.
package struct RestoredRun: Sendable {
  /// The types and the key as text, for reports.
  var text = ""
  var identity: RunIdentity
  /// How often its input was changed.
  var revision: UInt64
  /// Its number among the runs of the client, if it was kept in a store.
  var serial: UInt64 = 0
  package var mutation: StoredMutation
  var input: ValueBox
  var layers: [PlannedLayer]
  /// Seconds since the reference date.
  var submittedAt: Double
}
