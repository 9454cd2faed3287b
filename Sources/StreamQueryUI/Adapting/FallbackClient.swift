internal import StreamQuery

/// The client of views that were given none.
@MainActor
enum FallbackClient {
  /// Makes it; tests replace this.
  static var make: () -> QueryClient = { QueryClient() }
  private static var client: QueryClient?

  /// The client, made when a view needs it first; that is reported.
  static func taken() -> QueryClient {
    ViewMisuse.noClient.report()
    if let client { return client }
    let new = make()
    client = new
    return new
  }

  /// Lets go of the client, for tests.
  static func forget() { client = nil }
}
