/// A node of a filter, of queries or of mutations, that can be joined with others.
///
/// Filters are also made of data, as of a list of ids by `reduce`: a tree as deep as the list is long
/// would overflow the stack. So a node is appended to those that were joined before; a full list
/// becomes the first element of the next, so that depth grows once in sixty.
protocol FilterNode {
  /// All of these.
  static func and(_ nodes: [Self]) -> Self
  /// Any of these.
  static func or(_ nodes: [Self]) -> Self
  /// What all has to hold, if that is what the node says.
  var conjuncts: [Self]? { get }
  /// What any has to hold of, if that is what the node says.
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
