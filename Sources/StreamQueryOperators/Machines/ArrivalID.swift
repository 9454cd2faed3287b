/// Names one element or failure that arrived from an upstream; its value stays in the storage.
///
/// Machines decide about arrivals without owning a user's value: nothing of the user's is copied,
/// compared or released while the storage is locked.
struct ArrivalID: Hashable, Sendable {
  var rawValue: Int
}
