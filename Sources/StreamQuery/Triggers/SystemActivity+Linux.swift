#if os(Linux)
@preconcurrency internal import Dispatch

#if canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

extension StateSource {
  /// One signal source per process.
  static let systemActivity = StateSource(
    shared: SharedState { report in
      let queue = DispatchQueue(label: "StreamQuery.Activity", qos: .utility)
      let source = DispatchSource.makeSignalSource(signal: SIGCONT, queue: queue)
      source.setEventHandler {
        // A stopped process cannot report that it is away: it reports so afterwards.
        report(false)
        report(true)
      }
      // Not reported from here: the signal is lost until the source is installed, which takes a
      // moment.
      source.setRegistrationHandler { report(true) }
      source.activate()
      return { source.cancel() }
    }
  )
}
#endif
