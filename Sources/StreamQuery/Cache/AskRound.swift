/// How many evaluations of dynamic options led to the current code.
///
/// An answer may change the entry, which is a reason to evaluate again. An option that never
/// settles, or that writes to the cache itself, must not keep this going for ever (contract law 8).
enum AskRound {
  static let limit = 3

  @TaskLocal static var current = 0
}
