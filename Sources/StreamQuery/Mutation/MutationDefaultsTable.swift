/// The mutation defaults of a client at one time: immutable, replaced as a whole when they change.
final class MutationDefaultsTable: Sendable {
  typealias Perform = @Sendable (any Sendable, MutationContext) async throws -> any Sendable

  struct Prefix: Sendable {
    var key: AnyQueryKey
    var options: MutationOptions
    var perform: Perform?
  }

  /// In the order of registration: later ones win.
  private let prefixes: [Prefix]

  init(prefixes: [Prefix] = []) {
    self.prefixes = prefixes
  }

  func options(for key: AnyQueryKey) -> MutationOptions {
    var options = MutationOptions.default
    for prefix in prefixes where prefix.key.isPrefix(of: key) {
      options = prefix.options.over(options)
    }
    return options
  }

  func perform(for key: AnyQueryKey) -> Perform? {
    prefixes.last { $0.perform != nil && $0.key.isPrefix(of: key) }?.perform
  }

  /// A prefix that was registered before keeps its place, so that an update does not change which
  /// of two registrations wins.
  func with(_ prefix: Prefix) -> MutationDefaultsTable {
    var prefixes = prefixes
    if let index = prefixes.firstIndex(where: { $0.key == prefix.key }) {
      prefixes[index] = prefix
    } else {
      prefixes.append(prefix)
    }
    return MutationDefaultsTable(prefixes: prefixes)
  }
}
