#if canImport(Network) && !os(watchOS)
internal import Dispatch
internal import Network

extension StateSource {
  /// One path monitor per process.
  static let systemConnectivity = StateSource(
    shared: SharedState { report in
      let running = Running(monitor: NWPathMonitor())
      running.monitor.pathUpdateHandler = { path in
        // A path that needs a connection (a VPN on demand) comes up only when it is used: waiting
        // for it to be satisfied first would wait for ever.
        report(path.status != .unsatisfied)
      }
      // The first update is the present state and comes by itself.
      running.monitor.start(
        queue: DispatchQueue(label: "StreamQuery.Connectivity", qos: .utility)
      )
      return { running.monitor.cancel() }
    }
  )
}

/// Unchecked but safe: the monitor is set up before any other thread sees it, and afterwards only
/// `cancel` is called, on any thread.
private struct Running: @unchecked Sendable {
  let monitor: NWPathMonitor
}
#endif
