/// An entry or a run of an archive that the cache leaves out.
package struct ImportRefusal: Sendable {
  /// Why.
  package enum Reason: Sendable {
    case shutDown
    case superseded
    case notNewer
    case known
  }

  /// The type and the key as text.
  package var text: String
  package var reason: Reason
  /// Identifies the request of a run; `nil` for an entry.
  package var request: RunIdentity?

  package var isMutation: Bool { request != nil }
}
