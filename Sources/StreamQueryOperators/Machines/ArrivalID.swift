/// The identity of an element or a failure that an upstream of an operator has produced: an *arrival*.
///
/// A machine decides by identities and has no user's value, so that no user code runs while the storage is
/// locked.
struct ArrivalID: Hashable, Sendable {
  var rawValue: Int
}
