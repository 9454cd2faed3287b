/// Tells a client whether the app is in use.
///
/// An inactive client suspends intervals, unless they are to continue in the background, and
/// refetches stale data when it becomes active again. Each source reports the present *state* first
/// and then changes. A client that has not received a state yet assumes that it is active, so the
/// first report is never taken for a return.
///
/// ```swift
/// let client = QueryClient(configuration: .init(activity: .system))
/// let kiosk = QueryClient(configuration: .init(activity: .alwaysActive))
/// ```
public struct AppActivity: Sendable, _FreeOfActors {
  private let source: StateSource

  private init(source: StateSource) {
    self.source = source
  }

  /// Creates a source from any sequence of states: `true` means active.
  ///
  /// The first element should be the present state, not the next change. Equal states in a row
  /// count once: to make clients refetch on an event, send `false` and then `true`. When the
  /// sequence finishes or fails, its last state stays in force; if there was none, the client is
  /// active. A sequence that ignores cancellation keeps its listener waiting.
  ///
  /// - Parameter states: Makes the sequence; called once for each listener, so that sequences with
  ///   one observer, like `AsyncStream`, serve several clients.
  public init<States: AsyncSequence & SendableMetatype>(
    _ states: @escaping @Sendable () -> States
  ) where States.Element == Bool {
    self.source = StateSource(sequence: states)
  }

  /// The activity that the platform reports.
  ///
  /// - iOS, tvOS, visionOS, Mac Catalyst, watchOS: inactive in the background. A call or the control centre
  ///   in front of the app changes nothing, and entering the foreground after a launch is no return. In an
  ///   app extension: the state of its host app.
  /// - macOS: inactive while the app is hidden or all of its windows are covered. A window next to the one in
  ///   use counts as visible. An app without windows, as in the menu bar, is inactive while another app is in
  ///   front.
  /// - Linux: active; a process that was stopped and continues (`SIGCONT`) is inactive for an
  ///   instant, so that data that became stale meanwhile is refetched.
  /// - Elsewhere, and if the system does not tell: always active.
  ///
  /// The process has one source: it starts with the first listener and stops with the last. It
  /// keeps at most three states for a slow listener, and never misses that the app was inactive
  /// between two reads.
  public static var system: Self { Self(source: .systemActivity) }

  /// A source that is always active.
  ///
  /// A client with this source starts no task for activity.
  public static var alwaysActive: Self { Self(source: StateSource(constant: true)) }

  /// The source that a client has by default.
  ///
  /// ``system`` on Apple platforms, ``alwaysActive`` elsewhere, because a server always works.
  public static var platformDefault: Self {
    #if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
    system
    #else
    alwaysActive
    #endif
  }

  /// The present state, then each change; `true` means active.
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
