/// An edge of the world whose sweep over the entries waits for the runs that were paused at it.
struct HeldSweep: Equatable {
  var cause: FetchCause
  var awaited: Set<MutationID>
}
