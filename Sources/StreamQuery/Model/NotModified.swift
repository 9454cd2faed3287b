/// Thrown by a fetch to say that the cached data is still good.
///
/// The data stays, as the same object, and counts as fetched just now: its age restarts, and an
/// error or an invalidation is cleared. This counts as success and is never retried.
///
/// ```swift
/// struct Tagged: Sendable { var users: [User], etag: String }
///
/// let users = Query<Tagged>("users") { context in
///   let previous = context.previous(as: Tagged.self)
///   let (users, etag) = try await api.users(ifNoneMatch: previous?.etag)
///   guard let users else { throw NotModified() }      // 304
///   return Tagged(users: users, etag: etag)
/// }
/// ```
///
/// - Changes that a mutation lays over the data are not part of it: the data below them is kept. If
///   you returned `context.client.data(for:)` instead, a change that is only shown would become the
///   truth.
/// - A value that was written while the fetch ran stays and keeps its own age: the server's answer
///   was about the data before it.
/// - The fetch of a page may throw it for that page, which then stays as it was; see
///   ``FetchContext/previous(as:)``.
/// - A stream that throws it ends there: what it has shown stays. Before its first element, the
///   previous data stays, even if a refetch had hidden it.
/// - If all that there is is a part that an earlier stream left, it is a failure as without data, unless
///   the query is endless.
/// - Without data it is a failure, ``QueryError/notModifiedWithoutData(key:)``, which is not
///   retried.
public struct NotModified: Error, Hashable, Sendable {
  /// Creates the answer that nothing has changed.
  public init() {}
}
