/// How runs of a mutation are kept beyond the process: known to the keeper only.
protocol RunPolicy: Sendable {
  /// Whether runs are kept.
  var isKept: Bool { get }

  /// Whether an error that no retry is left for is answered by somebody.
  var answersErrors: Bool { get }
}
