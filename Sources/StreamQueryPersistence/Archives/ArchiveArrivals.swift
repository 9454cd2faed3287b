internal import StreamQuery
import Synchronization

/// The results so far of an import of several archives; the call that imports them waits for `end`.
final class ArchiveArrivals<Failure: Error>: Sendable {
  private struct State {
    var report: ArchiveImport
    var error: Failure?
  }

  private let state: Mutex<State>
  /// A signal that the import is over: the archives have ended or failed, the caller was cancelled, or the
  /// cache has ended all imports.
  let end = SharedOneShot<Void>()

  init(skipped: [ArchiveImport.Skipped]) {
    state = Mutex(
      State(report: ArchiveImport(entryCount: 0, mutationCount: 0, skipped: skipped))
    )
  }

  var report: ArchiveImport { state.withLock { $0.report } }
  var error: Failure? { state.withLock { $0.error } }

  func add(_ part: ArchiveImport) {
    state.withLock { state in
      state.report.entryCount += part.entryCount
      state.report.mutationCount += part.mutationCount
      state.report.skipped += part.skipped
    }
  }

  func failed(_ error: Failure) { state.withLock { $0.error = error } }
}
