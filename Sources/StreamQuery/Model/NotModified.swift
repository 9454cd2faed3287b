/// Thrown by a fetch whose answer is that the cached data is still good.
///
/// The data stays, the same object, and counts as fetched just now: its age begins anew, an error and an
/// invalidation are cleared. It is a success, and is never retried.
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
/// - What a mutation lays over the data is not part of it: it is kept as it is below such changes. To
///   return `context.client.data(for:)` instead would make a change that is only shown the truth.
/// - A value that was written while the fetch ran stays, and keeps its own age: the server spoke of the
///   data before it.
/// - The fetch of a page may throw it for that page, which stays as it was; see
///   ``FetchContext/previous(as:)``.
/// - A stream that throws it ends there: what it has shown stays; before its first element, the data from
///   before does, also where a refetch had taken it out of sight.
/// - Without data it is a failure, ``QueryError/notModifiedWithoutData(key:)``, which is not retried.
public struct NotModified: Error, Hashable, Sendable {
  /// Creates the answer that nothing changed.
  public init() {}
}
