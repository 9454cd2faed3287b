/// A decoded run of a mutation on its way into the cache.
struct RestoredRun: Sendable {
  var text: String
  var identity: RunIdentity
  var mutation: ResolvedMutation
  var input: ValueBox
  var layers: [PlannedLayer]
  /// Seconds since the reference date.
  var submittedAt: Double
}
