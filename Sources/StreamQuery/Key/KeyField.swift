/// A named part of a record.
struct KeyField: Hashable, Sendable {
  var name: String
  var part: KeyPart
}
