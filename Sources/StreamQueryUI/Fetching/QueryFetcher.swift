/// An object that fetches a query, and has properties that it reads for each fetch.
///
/// A closure captures its input when it is made. A fetcher reads its properties when it fetches, so they can
/// change in between. Several queries can share a fetcher, and tests can replace it.
///
/// ```swift
/// @MainActor final class UserSearch: QueryFetcher {
///   var text = ""
///   func fetch() async throws -> User { try await api.user(email: text) }
/// }
/// ```
///
/// The fetched value is stored under the key of the query, whatever the properties were. If values for
/// different input are worth keeping, put the input into the key of a query instead.
@MainActor
public protocol QueryFetcher: AnyObject, Sendable {
  /// The type of the value.
  associatedtype Output: Sendable

  /// Fetches with the present properties.
  ///
  /// - Returns: The value.
  /// - Throws: Any error; the query's options say whether the fetch is retried and how the error is shown.
  func fetch() async throws -> Output
}
