/// A node of a query filter or a mutation filter that can be combined with others.
///
/// Filters are also built from data, for example from a list of ids with `reduce`. A tree as deep
/// as the list is long would overflow the stack, so a node is appended to the list of those already
/// joined. A full list becomes the first element of the next one, so the depth grows by one only
/// every sixty nodes or so.
protocol FilterNode {
  /// All of these.
  static func and(_ nodes: [Self]) -> Self
  /// Any of these.
  static func or(_ nodes: [Self]) -> Self
  /// The nodes that must all hold, if this node is a conjunction.
  var conjuncts: [Self]? { get }
  /// The nodes of which one must hold, if this node is a disjunction.
  var disjuncts: [Self]? { get }
}

extension FilterNode {
  static func and(lhs: Self, rhs: Self) -> Self {
    join(lhs, rhs, partsOf: \.conjuncts, and)
  }

  static func or(lhs: Self, rhs: Self) -> Self {
    join(lhs, rhs, partsOf: \.disjuncts, or)
  }

  private static func join(
    _ lhs: Self,
    _ rhs: Self,
    partsOf parts: (Self) -> [Self]?,
    _ make: ([Self]) -> Self
  ) -> Self {
    let (joined, added) =
      parts(lhs).map { ($0, rhs) } ?? parts(rhs).map { ($0, lhs) } ?? ([lhs], rhs)
    return make(joined.count < 64 ? joined + [added] : [make(joined), added])
  }
}
