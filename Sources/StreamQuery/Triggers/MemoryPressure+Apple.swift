#if canImport(Darwin)
@preconcurrency internal import Dispatch

extension MemoryPressure {
  /// The warnings of the system, from now on; only the newest is kept for a slow reader.
  static func warnings() -> AsyncStream<Level> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let queue = DispatchQueue(label: "StreamQuery.MemoryPressure", qos: .utility)
      let source = DispatchSource.makeMemoryPressureSource(
        eventMask: [.warning, .critical],
        queue: queue
      )
      // The source keeps its handler, and the handler the source, until it is cancelled.
      source.setEventHandler {
        continuation.yield(source.data.contains(.critical) ? .critical : .warning)
      }
      continuation.onTermination = { _ in source.cancel() }
      source.activate()
    }
  }
}
#endif
