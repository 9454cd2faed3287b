/// How runs of a mutation are kept beyond the process: known to the keeper only.
package protocol RunPolicy: Sendable {
  /// Whether runs are kept.
  var isKept: Bool { get }

  /// Whether an error that no retry is left for is answered by somebody.
  var answersErrors: Bool { get }
}

extension Mutation {
  /// Keeps its runs under a policy.
  package func kept(by policy: any RunPolicy) -> Self {
    Mutation(key: key, definition: definition.with(keeping: policy))
  }
}
