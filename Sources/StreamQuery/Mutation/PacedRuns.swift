/// Which runs take the place of each other: those of a mutation in a scope.
struct PacedRuns: Hashable, Sendable {
  let key: EntryKey
  let scope: String?
}
