/// Tells a client whether somebody is looking.
///
/// A client that is inactive lets intervals rest, unless they are asked to go on in the background,
/// and refetches what is stale when it becomes active again. Each source says the present
/// *state* first and then changes; a client that has not heard yet takes itself to be active, so
/// that the first report is never taken for a return.
///
/// ```swift
/// let client = QueryClient(configuration: .init(activity: .system))
/// let kiosk = QueryClient(configuration: .init(activity: .alwaysActive))
/// ```
public struct Activity: Sendable, _FreeOfActors {
  private let source: StateSource

  private init(source: StateSource) {
    self.source = source
  }

  /// Creates a source from any sequence of states: `true` means active.
  ///
  /// The first element should be the present state, not the next change. Equal states in a row count
  /// once: to make clients refetch on an event, say `false` and then `true`. When the sequence
  /// finishes or fails, its last state stays in force; without one that is active. Cancellation is
  /// up to the sequence: one that ignores it keeps its listener waiting.
  ///
  /// - Parameter states: Makes the sequence; called once for each listener, so that sequences with
  ///   one consumer, like `AsyncStream`, serve several clients.
  public init<States: AsyncSequence & SendableMetatype>(
    _ states: @escaping @Sendable () -> States
  ) where States.Element == Bool {
    self.source = StateSource(sequence: states)
  }

  /// The platform's own source.
  ///
  /// - iOS, tvOS, visionOS, Mac Catalyst, watchOS: inactive from entering the background until
  ///   the way back to the foreground. A call or the control centre in front of the app changes
  ///   nothing. In an app extension, the life of its host.
  /// - macOS: inactive while the app is hidden or all of its windows are covered. A window beside the
  ///   one in use is still looked at.
  /// - Linux: active; a process that was stopped and continues (`SIGCONT`) is inactive for an instant,
  ///   so that what went stale meanwhile is refetched.
  /// - Elsewhere, and where the system does not tell: always active.
  ///
  /// The process has one source: it starts with the first listener and stops with the last. It holds
  /// for a slow listener at most three states, never losing a departure and return between two reads.
  public static var system: Self { Self(source: .systemActivity) }

  /// Active, for ever.
  ///
  /// A client with it starts no task for activity.
  public static var alwaysActive: Self { Self(source: StateSource(constant: true)) }

  /// What a client uses when nothing else is said.
  ///
  /// ``system`` on Apple platforms, ``alwaysActive`` elsewhere, since a server works whether or not
  /// somebody looks.
  public static var platformDefault: Self {
    #if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
    system
    #else
    alwaysActive
    #endif
  }

  /// The present state, then each change; `true` means active.
  ///
  /// Each iterator listens for itself, from its creation until it is released or its task is
  /// cancelled; then `next` returns `nil` at once. Finishes when no further change can come.
  ///
  /// - Returns: A sequence that can be iterated any number of times.
  public func states() -> some AsyncSequence<Bool, Never> & Sendable { source.states }

  /// What holds until the first state is heard.
  package var initial: Bool { source.constant ?? true }

  /// Whether ``initial`` holds for ever, so that nobody has to listen.
  package var isConstant: Bool { source.constant != nil }
}
