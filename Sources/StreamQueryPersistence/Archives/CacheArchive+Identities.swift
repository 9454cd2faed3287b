internal import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension CacheArchive {
  /// The identities of the paused runs, in the order of `mutations`.
  ///
  /// An archive of an early release has no identities. They are then derived from its facts about the runs,
  /// so that they are the same at every import.
  var identities: [RunIdentity] {
    var counts: [RunIdentity: UInt64] = [:]
    return mutations.map { run in
      if let changed = run.changed { return RunIdentity(changed.id) }
      if let key = run.idempotencyKey { return RunIdentity(key) }
      let date = run.submittedAt.timeIntervalSinceReferenceDate
      let identity = RunIdentity(key: run.key, date: date, input: run.input)
      let number = counts[identity, default: 0]
      counts[identity] = number + 1
      return identity.numbered(number)
    }
  }
}
