/// An object that fetches, with properties that it reads during the fetch.
///
/// A closure captures its input when it is made. A fetcher reads its properties when it fetches, so
/// they can change in between. Queries can share it, and tests can replace it.
///
/// ```swift
/// @MainActor final class UserSearch: QueryFetcher {
///   var text = ""
///   func fetch() async throws -> User { try await api.user(email: text) }
/// }
/// ```
///
/// Its value is stored under the key of its query. If values for different input are worth keeping,
/// put the input into the key of a query instead.
@MainActor
public protocol QueryFetcher: AnyObject, Sendable {
  /// The type of the value.
  associatedtype Output: Sendable

  /// Fetches with the present properties.
  ///
  /// - Returns: The value.
  /// - Throws: Any error; the query's options say whether it is retried and how it is shown.
  func fetch() async throws -> Output
}
