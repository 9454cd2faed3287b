/// A mistake in a view that has a defined outcome; reported once, in debug builds.
@MainActor
enum ViewMisuse: Hashable, CustomStringConvertible {
  /// A view uses a query, and nobody gave it a client.
  case noClient
  /// A property wrapper was read before it belonged to a view.
  case readOutsideOfAView(String)

  /// Where reports go.
  static var receive: (ViewMisuse) -> Void = { print("StreamQuery: \($0)") }
  private static var reported: Set<ViewMisuse> = []

  /// Reports it, unless that was done before.
  func report() {
    #if DEBUG
    if Self.reported.insert(self).inserted { Self.receive(self) }
    #endif
  }

  /// Forgets what was reported, for tests.
  static func forget() { reported = [] }

  nonisolated var description: String {
    switch self {
    case .noClient:
      """
      A view uses a query, but there is no client above it: a shared one is used. Give one to the \
      first view of the app: ContentView().queryClient(client).
      """
    case .readOutsideOfAView(let object):
      """
      A property wrapper was read outside of a view's body, for example in its initialiser: its \
      \(object) observes nothing. Read it in the body.
      """
    }
  }
}
