/// A piece of work that others may wait for, in any client of the process.
enum WorkID: Hashable, Sendable {
  /// The present fetch of an entry.
  case fetch(cache: UInt64, entry: EntryID)
  /// A run of a mutation, by its number and its scope.
  case run(cache: UInt64, serial: UInt64, scope: String?)

  var cache: UInt64 {
    switch self {
    case .fetch(let cache, _), .run(let cache, _, _): cache
    }
  }

  /// The scope of a run: what all runs of it have in common; `nil` without one.
  var scope: WorkID? {
    guard case .run(let cache, _, let scope?) = self else { return nil }
    return .run(cache: cache, serial: 0, scope: scope)
  }

  /// Whether both are runs of one scope, and the other one comes first.
  func isBehind(_ other: WorkID) -> Bool {
    guard case .run(let cache, let serial, let scope?) = self,
      case .run(cache, let otherSerial, scope) = other
    else { return false }
    return otherSerial < serial
  }
}
