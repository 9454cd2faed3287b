/// The identity of one element or failure of an upstream; the storage has its value.
///
/// Machines decide about arrivals without a user's value, so that no user code runs while the
/// storage is locked.
struct ArrivalID: Hashable, Sendable {
  var rawValue: Int
}
