/// The defaults of a client at one time: immutable, and replaced as a whole when they change.
///
/// `Sendable` is correct because all stored properties are immutable and `Sendable`.
final class DefaultsTable: StoredDefaults, @unchecked Sendable {
  typealias Fetch = @Sendable (FetchContext) async throws -> any Sendable

  struct Prefix: Sendable {
    var key: AnyQueryKey
    var options: QueryOptions
    var fetch: Fetch?
  }

  let client: QueryDefaults
  /// The defaults of prefixes in the order of registration; the last one that applies wins.
  let prefixes: [Prefix]
  let failureInvalidates: Bool
  /// The default policy for keeping data in a store.
  let persistence: (any PersistencePolicy)?
  let persisters: PersisterSlot

  init(
    client: QueryDefaults,
    prefixes: [Prefix] = [],
    failureInvalidates: Bool,
    persistence: (any PersistencePolicy)? = nil,
    persisters: PersisterSlot = PersisterSlot()
  ) {
    self.client = client
    self.prefixes = prefixes
    self.failureInvalidates = failureInvalidates
    self.persistence = persistence
    self.persisters = persisters
    super.init(isPersisting: persistence != nil, specialKeys: prefixes.map(\.key))
  }

  /// The same defaults in a new table, so that every query is resolved again.
  var renewed: DefaultsTable { replacing(prefixes: prefixes) }

  func replacing(client: QueryDefaults? = nil, prefixes: [Prefix]? = nil) -> DefaultsTable {
    DefaultsTable(
      client: client ?? self.client,
      prefixes: prefixes ?? self.prefixes,
      failureInvalidates: failureInvalidates,
      persistence: persistence,
      persisters: persisters
    )
  }

  func options(for key: AnyQueryKey) -> QueryOptions {
    var options = client.options
    for prefix in prefixes where prefix.key.isPrefix(of: key) {
      options = prefix.options.over(options)
    }
    return options
  }

  /// The defaults that apply to a key, by layer: the layer that wins comes first.
  func layers(for key: AnyQueryKey) -> [(layer: EntryDetail.Layer, options: QueryOptions)] {
    let special = prefixes.reversed().filter { $0.key.isPrefix(of: key) }
    return special.map { (.prefix($0.key), $0.options) } + [(.client, client.options)]
  }

  func fetch(for key: AnyQueryKey) -> Fetch? {
    prefixes.last { $0.fetch != nil && $0.key.isPrefix(of: key) }?.fetch ?? client.fetch
  }

  /// The retention of a key's entry under the defaults alone.
  func gcTime(for key: AnyQueryKey) -> TimeSpan {
    options(for: key).gcTime.map(TimeSpan.init) ?? TimeSpan(.seconds(300))
  }

  /// Adds the defaults of a prefix, or replaces them in place.
  ///
  /// A registered prefix keeps its rank, so that an update does not change which of two
  /// registrations wins.
  func adding(_ prefix: Prefix) -> DefaultsTable {
    var prefixes = prefixes
    if let index = prefixes.firstIndex(where: { $0.key == prefix.key }) {
      prefixes[index] = prefix
    } else {
      prefixes.append(prefix)
    }
    return replacing(prefixes: prefixes)
  }
}
