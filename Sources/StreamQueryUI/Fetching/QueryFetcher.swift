/// An object that fetches, with properties that are read when it does.
///
/// A closure captures its input when it is written. A fetcher reads its properties when it fetches,
/// so they can change in between. It can be shared by queries, and replaced in tests.
///
/// ```swift
/// @MainActor final class UserSearch: QueryFetcher {
///   var text = ""
///   func fetch() async throws -> User { try await api.user(email: text) }
/// }
/// ```
///
/// What it fetches is stored under the key of its query. If different input gives different data
/// that is worth keeping, put the input into the key of a query instead.
@MainActor
public protocol QueryFetcher: AnyObject, Sendable {
  /// The query.
  associatedtype Output: Sendable

  /// Fetches, with the properties as they are now.
  ///
  /// - Returns: The value.
  /// - Throws: Any error; it is retried and shown as the query's options say.
  func fetch() async throws -> Output
}
