public import StreamQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Query where Value: Codable {
  /// Keeps the data of the query in a store, and restores it before the first fetch.
  ///
  /// At a query's first use in a process, it waits until the store has been read. Meanwhile its streams are
  /// pending and idle, and ``/StreamQuery/QueryResult/isRestoring`` is `true`. Restored data keeps its age:
  /// if it is stale, it is shown and refetched. Fetched data and manual writes are saved, without optimistic
  /// changes, as soon as ``Persistence/throttle`` has passed. Offline, a query tries once and then waits for
  /// the network (``/StreamQuery/NetworkMode/offlineFirst``), unless an option says otherwise.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }
  ///   .persisted(in: store, maxAge: .hours(24), version: "2")
  /// ```
  ///
  /// A stored value that can no longer be decoded is dropped and fetched again, with an event in
  /// ``/StreamQuery/QueryClient/events``.
  ///
  /// - Parameters:
  ///   - store: The store in which the data is kept.
  ///   - partition: The part of the store; `nil` means the client's part. Data in another part is not erased
  ///     at the end of an account, see ``QueryAccounts``.
  ///   - maxAge: The age from which stored data is not restored any more. `nil`, the default, means 24 hours
  ///     for a query with a fetch, and ``Persistence/unlimited`` for a query without one, because nobody can
  ///     get its data again. If only defaults give the query a fetch, that fetch does not count, because
  ///     defaults may be set later: state an age for such a query.
  ///   - version: The version of the data's encoded form; change it when you change the form.
  ///   - migrating: Makes a value from the bytes of another version, which are JSON. Without this closure, a
  ///     value of another version is dropped, even if it has no limit of age. If the closure throws, there is
  ///     an event in ``/StreamQuery/QueryClient/events``. A value with a limit of age is then dropped; any
  ///     other one stays in the store for a later version, until the query is written.
  /// - Returns: The changed query.
  public consuming func persisted(
    in store: any QueryStore,
    partition: StorePartition? = nil,
    maxAge: Duration? = nil,
    version: String = "",
    migrating: (@Sendable (_ json: Data, _ version: String) throws -> Value)? = nil
  ) -> Self {
    let usual = definition.hasFetch ? .hours(24) : Persistence.unlimited
    return persisted(
      Persistence(in: store, partition: partition, maxAge: maxAge ?? usual, version: version),
      migrating: migrating
    )
  }

  /// Keeps the data of the query in a store, and restores it before the first fetch.
  ///
  /// ```swift
  /// let persistence = Persistence(in: store, maxAge: Persistence.unlimited, version: "2")
  /// let draft = Query<User>(key: "draft").persisted(persistence) { data, version in
  ///   // Version 1 was the name alone.
  ///   User(id: 0, name: try JSONDecoder().decode(String.self, from: data))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - persistence: The place, the age and the form of the data.
  ///   - migrating: Makes a value from the bytes of another version, which that version's
  ///     ``Persistence/coding`` made. Without this closure, a value of another version is dropped.
  /// - Returns: The changed query.
  public consuming func persisted(
    _ persistence: Persistence,
    migrating: (@Sendable (_ data: Data, _ version: String) throws -> Value)? = nil
  ) -> Self {
    let migrate = migrating.map { migrating in
      { @Sendable (data: Data, version: String) throws -> ValueBox in
        TypedBox(try migrating(data, version))
      }
    }
    return persisted(by: QueryPersistence(persistence, migrate: migrate))
  }
}

extension Query {
  /// Excludes the query from the client's ``StreamQuery/QueryClient/Configuration/persistence``.
  ///
  /// - Returns: The changed query.
  public consuming func notPersisted() -> Self {
    persisted(by: QueryPersistence(nil))
  }
}
