/// Names one fetch of a client, among all fetches of all clients of the process.
///
/// All attempts of a fetch, all callers that wait for it and all events about it have the same one.
/// A fetch that replaces another has its own.
public struct FetchIdentity: Hashable, Sendable, _FreeOfActors, CustomStringConvertible {
  /// Unique to the client.
  let client: UInt64
  /// Unique to the entry: no other one of the client ever has it.
  let entry: UInt64
  /// The number of the fetch among those of the entry.
  let number: UInt32

  /// The number of the entry and that of the fetch, for the client's log.
  public var description: String { "\(entry).\(number)" }
}
