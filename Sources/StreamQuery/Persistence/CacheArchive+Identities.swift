#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension CacheArchive {
  /// The identities of the runs, in their order.
  ///
  /// An archive that was made before runs had keys gives them identities by what it says of them, so
  /// that they are the same whenever it is imported.
  var identities: [RunIdentity] {
    var counts: [RunIdentity: UInt64] = [:]
    return mutations.map { run in
      if let key = run.idempotencyKey { return RunIdentity(key) }
      let date = run.submittedAt.timeIntervalSinceReferenceDate
      let identity = RunIdentity(key: run.key, date: date, input: run.input)
      let number = counts[identity, default: 0]
      counts[identity] = number + 1
      return identity.numbered(number)
    }
  }
}
