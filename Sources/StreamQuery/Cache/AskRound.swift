/// How many askings of dynamic options led to what the present code does.
///
/// An answer may change the entry, which is a reason to ask again; an option that never settles, or
/// that writes to the cache itself, must not keep that going for ever (contract law 8).
enum AskRound {
  static let limit = 3

  @TaskLocal static var current = 0
}
