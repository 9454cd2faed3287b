#if canImport(Network) && !os(watchOS)
internal import Dispatch
internal import Network

extension StateSource {
  /// The connectivity of the device; the process has one path monitor.
  static let systemConnectivity = StateSource(
    shared: SharedState { report in
      let running = Running(monitor: NWPathMonitor())
      running.monitor.pathUpdateHandler = { path in
        // A path that needs a connection (a VPN on demand) comes up only when it is used: a wait
        // until it is satisfied would never end.
        report(path.status != .unsatisfied)
      }
      // The first update brings the present state.
      running.monitor.start(
        queue: DispatchQueue(label: "StreamQuery.Connectivity", qos: .utility)
      )
      return { running.monitor.cancel() }
    }
  )
}

/// The unchecked conformance is safe: the monitor is set up before any other thread sees it, and
/// after that only `cancel` is called.
private struct Running: @unchecked Sendable {
  let monitor: NWPathMonitor
}
#endif

#if os(watchOS) || (!os(Linux) && !canImport(Network))
extension StateSource {
  /// Always online: this platform does not tell.
  ///
  /// A watch lets apps use its path monitor for sound and calls only. For all others it says "offline" for ever:
  /// [TN3135](https://developer.apple.com/documentation/technotes/tn3135-low-level-networking-on-watchos).
  static let systemConnectivity = StateSource(constant: true)
}
#endif
