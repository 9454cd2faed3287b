// error: 'Filter' does not conform to the 'Sendable' protocol
import StreamQuery

final class Filter: Hashable {
  var text = ""
  static func == (lhs: Filter, rhs: Filter) -> Bool { lhs === rhs }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

let key = QueryKey<User>("users", Filter())
