public import StreamQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Query where Value: Codable {
  /// Keeps the data of the query in a store, and restores it before the first fetch.
  ///
  /// The first use of a query in a process waits until the store has been read; until then its
  /// streams are pending and idle, and say ``/StreamQuery/QueryResult/isRestoring``. Restored data
  /// has its age: if it is stale, it is shown and refetched. Fetched data and manual writes are
  /// kept, without optimistic changes, as soon as ``Persistence/throttle`` has passed. Offline, a
  /// query tries once and then waits for the network (``/StreamQuery/NetworkMode/offlineFirst``),
  /// unless an option says otherwise.
  ///
  /// ```swift
  /// let user = Query("user", id) { try await api.user(id) }
  ///   .persisted(in: store, maxAge: .hours(24), version: "2")
  /// ```
  ///
  /// A value that can no longer be decoded is dropped and fetched again, with an event in
  /// ``/StreamQuery/QueryClient/events``.
  ///
  /// - Parameters:
  ///   - store: The store of the data.
  ///   - partition: The part of the store; `nil` is that of the client. Data in another part
  ///     does not end with an account: see ``QueryAccounts``.
  ///   - maxAge: The age at which kept data is not restored any more; `nil`, the default, is 24
  ///     hours for a query with a fetch, and ``Persistence/unlimited`` for one without, whose data
  ///     nobody can get again. A fetch that defaults give to the query does not count here, because
  ///     they may come later: say an age.
  ///   - version: The version of the form of the data; change it with the form.
  ///   - migrating: Makes a value of the bytes of another version, which are JSON. Without it, a
  ///     value of another version is dropped, even if it has no limit of age and nobody can get it
  ///     again. If it throws, there is an event in ``/StreamQuery/QueryClient/events``: a value
  ///     with a limit of age is dropped, and any other stays in the store for a later version,
  ///     until the query is written.
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
  ///   - migrating: Makes a value of the bytes of another version, as its ``Persistence/coding`` made them.
  ///     Without it, a value of another version is dropped.
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
  /// Keeps no data of the query, even if the client's ``StreamQuery/QueryClient/Configuration/persistence``
  /// keeps other queries.
  ///
  /// - Returns: The changed query.
  public consuming func notPersisted() -> Self {
    persisted(by: QueryPersistence(nil))
  }
}
