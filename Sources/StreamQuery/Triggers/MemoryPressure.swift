#if canImport(Darwin)
@preconcurrency internal import Dispatch
#endif

/// Tells a client that memory is short, so that it drops what nobody uses.
///
/// A warning drops entries that nobody observes, fetches or awaits and whose data is stale; at a
/// critical level the fresh ones go too, and what was not saved yet is saved at once. What is
/// observed stays. A store keeps what it has of the entries that are dropped, and events say
/// ``QueryEvent/RemovalReason/evicted``.
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.memoryPressure = .system
/// configuration.memoryPressure = MemoryPressure { memoryWarnings.map { _ in .warning } }
/// ```
public struct MemoryPressure: Sendable, _FreeOfActors {
  /// How short memory is.
  public enum Level: Int, Comparable, Hashable, Sendable {
    /// Nothing has to be dropped.
    case normal
    /// What can be fetched again and is stale should go.
    case warning
    /// The process may be ended soon: everything that nobody uses should go.
    case critical

    /// Whether memory is less short.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// Forwards the levels to a client until the task is cancelled; `nil` if there are none.
  let forward: (@Sendable (SignalPort) async -> Void)?

  private init(forward: (@Sendable (SignalPort) async -> Void)?) {
    self.forward = forward
  }

  /// Creates a source from any sequence of levels.
  ///
  /// Each element makes the client drop entries once, so a level that lasts may be repeated. A client
  /// takes the next element when it has handled the one before. After the sequence ends or fails,
  /// nothing more is dropped.
  ///
  /// - Parameter levels: Makes the sequence; called once for each client.
  public init<Levels: AsyncSequence & SendableMetatype>(
    _ levels: @escaping @Sendable () -> Levels
  ) where Levels.Element == Level {
    forward = { port in await port.forward(levels()) { .pressure($0) } }
  }

  /// Memory is never short.
  public static var none: Self { Self(forward: nil) }

  /// The platform's own source.
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
  /// A server has the memory that it was given, and a ``CacheLimit`` says how much of it a cache may
  /// use.
  public static var platformDefault: Self {
    #if canImport(Darwin)
    system
    #else
    none
    #endif
  }

  #if os(Linux)
  /// What the kernel says of the process's control group, or of the system if it has none.
  ///
  /// A warning comes when, in the last ten seconds, some tasks waited for memory for a tenth of the
  /// time, and a critical level when all of them did; see `memory.pressure` in the kernel's
  /// documentation. While it lasts, it is repeated at each look. If the kernel does not tell, nothing
  /// is ever dropped.
  ///
  /// - Parameter interval: The time between two looks, on the client's clock.
  /// - Returns: The source.
  public static func cgroup(checkedEvery interval: Duration = .seconds(10)) -> Self {
    Self { PressurePolls(interval: interval, read: PressureFile.find()) }
  }
  #endif
}

#if canImport(Darwin)
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

/// Looks at an account of memory pressure again and again, first at once.
///
/// It ends when its task is cancelled, or when there is nothing to read any more.
struct PressurePolls: AsyncSequence, Sendable {
  typealias Element = MemoryPressure.Level

  let interval: Duration
  /// Reads the account; `nil` if there is none.
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
        // The shortest wait keeps a mistake from taking a whole processor.
        let wait = Swift.max(polls.interval, .milliseconds(100))
        do { try await clock.sleep(for: wait) } catch { return nil }
      }
      isFirst = false
      // The file may be gone, or hold something else, with the next kernel.
      return read().flatMap(PressureReading.init)?.level
    }
  }
}

/// One iterator has one observer.
@available(*, unavailable)
extension PressurePolls.Iterator: Sendable {}
