/// The defaults of a client at one time: immutable, and replaced as a whole when they change.
final class DefaultsTable: Sendable {
  typealias Fetch = @Sendable (FetchContext) async throws -> any Sendable

  struct Prefix: Sendable {
    var key: AnyQueryKey
    var options: QueryOptions
    var fetch: Fetch?
  }

  let client: QueryDefaults
  /// In the order of registration: later ones win.
  let prefixes: [Prefix]
  let failureInvalidates: Bool

  init(client: QueryDefaults, prefixes: [Prefix] = [], failureInvalidates: Bool) {
    self.client = client
    self.prefixes = prefixes
    self.failureInvalidates = failureInvalidates
  }

  /// Whether a key has its own defaults in addition to the client's.
  func isSpecial(_ key: AnyQueryKey) -> Bool {
    prefixes.contains { $0.key.isPrefix(of: key) }
  }

  func options(for key: AnyQueryKey) -> QueryOptions {
    var options = client.options
    for prefix in prefixes where prefix.key.isPrefix(of: key) {
      options = prefix.options.over(options)
    }
    return options
  }

  func fetch(for key: AnyQueryKey) -> Fetch? {
    prefixes.last { $0.fetch != nil && $0.key.isPrefix(of: key) }?.fetch ?? client.fetch
  }

  /// How long the entry of a key is kept if nothing else is known about the key.
  func gcTime(for key: AnyQueryKey) -> TimeSpan {
    options(for: key).gcTime.map(TimeSpan.init) ?? TimeSpan(.seconds(300))
  }

  func with(client: QueryDefaults) -> DefaultsTable {
    DefaultsTable(client: client, prefixes: prefixes, failureInvalidates: failureInvalidates)
  }

  /// Adds the defaults of a prefix, or replaces them in place.
  ///
  /// A registered prefix keeps its place, so that an update does not change which of two
  /// registrations wins.
  func with(_ prefix: Prefix) -> DefaultsTable {
    var prefixes = prefixes
    if let index = prefixes.firstIndex(where: { $0.key == prefix.key }) {
      prefixes[index] = prefix
    } else {
      prefixes.append(prefix)
    }
    return DefaultsTable(
      client: client,
      prefixes: prefixes,
      failureInvalidates: failureInvalidates
    )
  }
}
