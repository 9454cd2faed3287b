#if canImport(Darwin)
@preconcurrency internal import Dispatch
#endif

// `QueryClient.relieve(_:)` drops the entries.

/// Tells a client that memory is short, so that it drops unused entries.
///
/// A warning drops stale entries that nobody observes, fetches or awaits. A critical level also drops fresh
/// ones, and pending changes are saved at once. Observed entries stay. A store keeps its records of dropped
/// entries, and events say ``QueryEvent/RemovalReason/evicted``.
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.memoryPressure = .system
/// configuration.memoryPressure = MemoryPressure { memoryWarnings.map { _ in .warning } }
/// ```
public struct MemoryPressure: Sendable, _FreeOfActors {
  /// The shortage of memory.
  public enum Level: Int, Comparable, Hashable, Sendable {
    /// No entry has to be dropped.
    case normal
    /// Unused stale entries should go.
    case warning
    /// The process may be ended soon: all unused entries should go.
    case critical

    /// Whether the left level is less critical.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// Forwards the levels to a client until the task is cancelled; `nil` if there are none.
  let forward: (@Sendable (SignalPort) async -> Void)?

  private init(forward: (@Sendable (SignalPort) async -> Void)?) {
    self.forward = forward
  }

  /// Creates a source from any sequence of levels.
  ///
  /// Each element makes the client drop entries once, so a level that lasts may be repeated. A client takes
  /// the next element when it has handled the one before. After the sequence ends or fails, no more entries
  /// are dropped.
  ///
  /// - Parameter levels: Makes the sequence; called once for each client.
  public init<Levels: AsyncSequence & SendableMetatype>(
    _ levels: @escaping @Sendable () -> Levels
  ) where Levels.Element == Level {
    forward = { port in await port.forward(levels()) { .pressure($0) } }
  }

  /// Memory is never short.
  public static var none: Self { Self(forward: nil) }

  /// The memory pressure that the platform reports.
  ///
  /// - Apple platforms: the system's warnings.
  /// - Linux: ``cgroup(checkedEvery:)``, every ten seconds.
  /// - Elsewhere: ``none``.
  public static var system: Self {
    #if canImport(Darwin)
    Self { warnings() }
    #elseif os(Linux)
    cgroup()
    #else
    none
    #endif
  }

  /// The source that a client uses by default: ``system`` on Apple platforms, ``none`` elsewhere.
  ///
  /// The memory of a server is fixed, and a ``CacheLimit`` says how much of it a cache may use.
  public static var platformDefault: Self {
    #if canImport(Darwin)
    system
    #else
    none
    #endif
  }

  #if os(Linux)
  /// The kernel's report for the process's control group, or for the system if it has none.
  ///
  /// A warning comes when, in the last ten seconds, some tasks waited for memory for a tenth of the time, and
  /// a critical level when all of them did; see `memory.pressure` in the kernel's documentation. While the
  /// shortage lasts, each check repeats the level. If the kernel does not tell, no entries are dropped.
  ///
  /// - Parameter interval: The time between two checks, on the client's clock.
  /// - Returns: The source.
  public static func cgroup(checkedEvery interval: Duration = .seconds(10)) -> Self {
    Self { PressurePolls(interval: interval, read: PressureFile.readable()) }
  }
  #endif
}

#if canImport(Darwin)
extension MemoryPressure {
  /// The warnings of the system from now on; only the newest is kept for a slow reader.
  static func warnings() -> AsyncStream<Level> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let queue = DispatchQueue(label: "StreamQuery.MemoryPressure", qos: .utility)
      let source = DispatchSource.makeMemoryPressureSource(
        eventMask: [.warning, .critical],
        queue: queue
      )
      // The source keeps its handler, and the handler the source, until the source is cancelled.
      source.setEventHandler {
        continuation.yield(source.data.contains(.critical) ? .critical : .warning)
      }
      continuation.onTermination = { _ in source.cancel() }
      source.activate()
    }
  }
}
#endif

/// Reads a report of memory pressure repeatedly, first at once.
///
/// The sequence ends when its task is cancelled, or when the report cannot be read any more.
struct PressurePolls: AsyncSequence, Sendable {
  typealias Element = MemoryPressure.Level

  let interval: Duration
  /// Reads the report; `nil` if there is none.
  let read: (@Sendable () -> String?)?

  func makeAsyncIterator() -> Iterator { Iterator(polls: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let polls: PressurePolls
    private var isFirst = true

    fileprivate init(polls: PressurePolls) {
      self.polls = polls
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> MemoryPressure.Level? {
      guard let read = polls.read else { return nil }
      if !isFirst {
        let clock = Scheduling.current.clock
        // The wait has a minimum, so that a mistake does not occupy a whole processor.
        let wait = Swift.max(polls.interval, .milliseconds(100))
        do { try await clock.sleep(for: wait) } catch { return nil }
      }
      isFirst = false
      // The file may be gone, or have another format, with the next kernel.
      return read().flatMap(PressureReading.init)?.level
    }
  }
}

/// An iterator is for one task, so it is not `Sendable`.
@available(*, unavailable)
extension PressurePolls.Iterator: Sendable {}
