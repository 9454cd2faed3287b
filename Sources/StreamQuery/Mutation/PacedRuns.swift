/// Which runs take the place of each other: those of a mutation in a scope that are versions of the
/// same.
struct PacedRuns: Hashable, Sendable {
  let key: EntryKey
  let scope: String?
  let pacingKey: String?

  init(with job: MutationJob) {
    (key, scope, pacingKey) = (job.key, job.scope, job.pacingKey)
  }
}
