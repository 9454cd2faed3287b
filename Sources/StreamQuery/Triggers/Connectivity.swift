/// Tells a client whether the network can be reached.
///
/// An offline client pauses fetches instead of letting them fail, and refetches stale data
/// when the network comes back. Each source reports the present *state* first and then changes. A
/// client that has not received a state yet assumes that it is online, so the first report is never
/// taken for a reconnection.
///
/// ```swift
/// let client = QueryClient(configuration: .init(connectivity: .system))
///
/// for await isOnline in Connectivity.system.states() {
///   show(isOnline)
/// }
/// ```
///
/// A state describes this device's connection to a network. No source promises that a server
/// answers: a fetch may still fail while online.
public struct Connectivity: Sendable, _FreeOfActors {
  private let source: StateSource
  /// How long a client believes that it is offline; `nil` is for as long as the source says so.
  let trust: TimeSpan?

  private init(source: StateSource, trust: TimeSpan? = nil) {
    self.source = source
    self.trust = trust
  }

  /// Creates a source from any sequence of states: `true` means online.
  ///
  /// The first element should be the present state, not the next change. Equal states in a row
  /// count once. When the sequence finishes or fails, its last state stays in force; if there was
  /// none, the client is online. A sequence that ignores cancellation keeps its listener waiting.
  ///
  /// - Parameter states: Makes the sequence; called once for each listener, so that sequences with
  ///   one observer, like `AsyncStream`, serve several clients.
  public init<States: AsyncSequence & SendableMetatype>(
    _ states: @escaping @Sendable () -> States
  ) where States.Element == Bool {
    self.init(source: StateSource(sequence: states))
  }

  /// The connectivity that the platform reports.
  ///
  /// On Apple platforms, a path monitor reports it; a path that comes up only when it is used counts as
  /// online. On Linux, the kernel reports it: online means that an interface other than loopback is up, has a
  /// carrier, and has an address beyond its own link. Elsewhere, and if the system does not tell, the state
  /// is always online. On watchOS it is always online too, because the path monitor there says "offline" to
  /// nearly every app.
  ///
  /// The process has one source: it starts with the first listener and stops with the last. It
  /// keeps at most three states for a slow listener, and never misses a loss and return between two
  /// reads.
  public static var system: Self { Self(source: .systemConnectivity) }

  /// A source that is always online.
  ///
  /// A client with this source starts no task for connectivity.
  public static var alwaysOnline: Self { Self(source: StateSource(constant: true)) }

  /// The source that a client has by default.
  ///
  /// ``system`` on Apple devices other than watches. ``alwaysOnline`` elsewhere, because a container with no
  /// interface except loopback is not offline. Apple's simulators have that default too, because their
  /// monitor may stay "offline" after the network came back, which would pause every fetch for good.
  public static var platformDefault: Self {
    #if canImport(Network) && !os(watchOS) && !targetEnvironment(simulator)
    system
    #else
    alwaysOnline
    #endif
  }

  /// The same source, but a client believes its report "offline" only for a limited time.
  ///
  /// Some sources are wrong: a monitor that stays "offline" after the network came back pauses every fetch
  /// for as long as the app runs. After the limited time the client counts as online until the source reports
  /// a change. It then resumes paused fetches and runs of mutations; if there is indeed no network, they fail
  /// after their retries. A later report "online" is a return of the network like any other, so failed
  /// queries are refetched.
  ///
  /// ```swift
  /// let client = QueryClient(configuration: .init(connectivity: .system.trusted(for: .minutes(2))))
  /// ```
  ///
  /// ``states()`` returns the states of the source itself.
  ///
  /// - Parameter duration: How long, by the client's clock; more than 100 years is for ever.
  /// - Returns: The source.
  public func trusted(for duration: Duration) -> Self {
    let trust = TimeSpan(duration)
    return Self(source: source, trust: trust.isInfinite ? nil : trust)
  }

  /// The present state, then each change; `true` means online.
  ///
  /// Each iterator is a separate listener, from its creation until it is released or its task is
  /// cancelled; then `next` returns `nil` at once. Finishes when no further change can come.
  ///
  /// - Returns: A sequence that can be iterated any number of times.
  public func states() -> some AsyncSequence<Bool, Never> & Sendable { source.states }

  /// The state that is assumed before the first one arrives.
  package var initial: Bool { source.constant ?? true }

  /// Whether ``initial`` never changes, so that no listener is needed.
  package var isConstant: Bool { source.constant != nil }
}
