/// Errors that StreamQuery itself throws; a fetch's own errors pass through unchanged.
public enum QueryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The query has no fetch: it was made from a key alone, and no default fetch covers the key.
  case missingFetch(key: String)
  /// A fetch, or the work or a callback of a mutation, asked for a fetch that would wait for it.
  ///
  /// Both would wait for ever. The second fetch may wait directly or through others, possibly of other
  /// clients; it may also be the asking fetch itself.
  case recursiveFetch(key: String)
  /// A default fetch returned a value of another type than the query's, or a default work returned
  /// one of another type than the mutation's output.
  case unexpectedType(key: String, expected: String, actual: String)
  /// A completion-style fetch dropped its completion without calling it.
  case completionNeverCalled(key: String)
  /// A completion-style fetch called back with neither a value nor an error.
  case completionWithoutResult(key: String)
  /// A fetch threw ``NotModified``, but there is no cached data to keep.
  case notModifiedWithoutData(key: String)
  /// The mutation has no work: it was made from a key alone, and no default covers the key.
  case missingPerform(key: String)
  /// A fetch, or the work or a callback of a mutation, asked for a run that would wait for it.
  ///
  /// Both would wait for ever. The run may wait in a scope, directly or through others, possibly of other
  /// clients.
  case recursiveMutation(key: String)
  /// A caller gave up waiting for a fetch, or an attempt took longer than the query allows.
  ///
  /// If only the caller gave up, the fetch may continue for others.
  case timedOut(key: String, limit: Duration)
  /// An attempt of a mutation took longer than its mutation allows.
  case mutationTimedOut(key: String, limit: Duration)
  /// The mutation is durable, but the client has no outbox to keep its runs in.
  case missingOutbox(key: String)
  /// The client was shut down.
  case shutDown

  /// A sentence that says how the error came about and how to avoid it.
  @_documentation(visibility: internal)
  public var description: String {
    switch self {
    case .missingFetch(let key):
      "\(key) has no fetch: give the query one, or register a default for a prefix of its key"
    case .recursiveFetch(let key):
      "the fetch of \(key) would wait for itself or for its caller: read what is cached instead"
    case .unexpectedType(let key, let expected, let actual):
      "the default of \(key) returned \(actual), not \(expected)"
    case .completionNeverCalled(let key):
      "the fetch of \(key) dropped its completion without calling it: call it exactly once"
    case .completionWithoutResult(let key):
      "the fetch of \(key) called back with neither a value nor an error"
    case .notModifiedWithoutData(let key):
      "the fetch of \(key) threw NotModified without data: ask the server for a whole answer then"
    case .missingPerform(let key):
      "\(key) has nothing to perform: give the mutation its work, or register a default for its key"
    case .recursiveMutation(let key):
      """
      \(key) would wait for the run that waits for it: start it in a task of its own, or without \
      the scope
      """
    case .timedOut(let key, let limit):
      "the fetch of \(key) took longer than \(limit)"
    case .mutationTimedOut(let key, let limit):
      "an attempt of the mutation \(key) took longer than \(limit)"
    case .missingOutbox(let key):
      "\(key) is durable, but there is nothing to keep it in: set `outbox` of the configuration"
    case .shutDown:
      "the client was shut down"
    }
  }
}

/// An error that a fetch throws to say that the cached data is still good.
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
/// - Changes that a mutation lays over the data are not part of it: the data below them is kept. A
///   fetch that returned `context.client.data(for:)` instead would cache the change as data of the
///   server.
/// - A value that was written while the fetch ran stays and keeps its own age: the server's answer
///   was about the data before it.
/// - The fetch of a page may throw it for that page, which then stays as it was; see
///   ``FetchContext/previous(as:)``.
/// - A stream that throws this error ends there, and the value that it has shown stays. Before its first
///   element, the previous data stays, even if a refetch had hidden it.
/// - Without data this error is a failure, ``QueryError/notModifiedWithoutData(key:)``, which is not retried.
///   A part that an earlier stream left is no data, unless the query is endless.
public struct NotModified: Error, Hashable, Sendable {
  /// Creates the error.
  public init() {}
}

/// An error in an object, so that a transaction can return it from under the lock as one reference.
package final class ErrorBox: Sendable {
  package let error: any Error

  package init(_ error: any Error) {
    self.error = error
  }
}
