/// A transition of network or app whose sweep over the entries waits for the runs paused before it.
struct HeldSweep: Equatable {
  var cause: FetchCause
  var awaited: Set<MutationID>
}
