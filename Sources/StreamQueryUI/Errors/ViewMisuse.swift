internal import Synchronization

/// A mistake in a view or a model that has a defined outcome; debug builds print it once.
enum ViewMisuse: Hashable, Sendable, CustomStringConvertible {
  /// A view uses a query, but no view around it has set a client.
  case noClient
  /// A property wrapper was read before it belonged to a view.
  case readOutsideOfAView(String)
  /// A property wrapper names something to observe, and a modifier names it as well.
  case namedTwice(String)
  /// A property wrapper was updated on a thread other than the main one.
  case updatedOffTheMainThread
  /// An object was asked to fetch before it had a client, so it did not.
  case neverStarted(String)

  private struct State {
    var receive: @Sendable (ViewMisuse) -> Void = { print("StreamQuery: \($0)") }
    var reported: Set<ViewMisuse> = []
  }

  private static let state = Mutex(State())

  /// The closure that receives reports; by default it prints them.
  static var receive: @Sendable (ViewMisuse) -> Void {
    get { state.withLock { $0.receive } }
    set {
      // The former closure is released after the unlock, because its release may run user code.
      _ = state.withLock { state in
        defer { state.receive = newValue }
        return state.receive
      }
    }
  }

  /// Reports the mistake in debug builds, unless it was reported before.
  func report() {
    #if DEBUG
    let receive = Self.state.withLock { $0.reported.insert(self).inserted ? $0.receive : nil }
    receive?(self)
    #endif
  }

  /// Makes all mistakes reportable again, for tests.
  static func reset() { state.withLock { $0.reported = [] } }

  var description: String {
    switch self {
    case .noClient:
      """
      A view uses a query, but there is no client above it: a shared one is used. Give one to the \
      first view of the app: ContentView().queryClient(client). If environment(\\.queryClient, client) \
      gives one, that is used, and this is said because SwiftUI reads a value before it sets it: \
      write queryClient(client) instead.
      """
    case .readOutsideOfAView(let object):
      """
      A property wrapper was read outside of a view's body, for example in its initialiser: its \
      \(object) observes nothing. Read it in the body.
      """
    case .namedTwice(let object):
      """
      A property wrapper names what its \(object) observes, and a modifier of a view does so as well: \
      the modifier counts. Name it in one place.
      """
    case .updatedOffTheMainThread:
      """
      A property wrapper was updated on another thread than the main one: that update is left out. \
      Call update() of a wrapper nowhere; SwiftUI does.
      """
    case .neverStarted(let object):
      """
      \(object) was told to fetch and did nothing, because it was never started. Create it with a client, or \
      call start(using: client) first.
      """
    }
  }
}
