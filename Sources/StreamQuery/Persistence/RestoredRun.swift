/// A decoded run of a mutation on its way into the cache.
struct RestoredRun: Sendable {
  var text: String
  var identity: RunIdentity
  /// How often its input was changed.
  var revision: UInt64
  var mutation: ResolvedMutation
  var input: ValueBox
  var layers: [PlannedLayer]
  /// Seconds since the reference date.
  var submittedAt: Double
}
