/// Where a run of a mutation waits, and which runs it takes the place of: by its input if the mutation
/// says so.
struct RunPacing {
  let scope: String?
  let isNewestOnly: Bool
  /// Of what it is a version: see ``PacedRuns``.
  let key: String?

  /// Asks the mutation: user code.
  ///
  /// - Parameters:
  ///   - mutation: The mutation.
  ///   - definition: Its definition.
  ///   - options: Its options over the defaults.
  ///   - input: The input; `nil` if no run is going to begin.
  init(
    of mutation: EntryKey,
    _ definition: MutationDefinition,
    _ options: MutationOptions,
    _ input: ValueBox?
  ) {
    let grouping = definition.grouping
    var (isNewestOnly, key) = (options.pacing == .newest, String?.none)
    if isNewestOnly, let input, let pacingKey = grouping.pacingKey {
      key = pacingKey(input)
      isNewestOnly = key != nil
    }
    // What the mutation itself says comes before the defaults of its key.
    var scope = options.scope
    if definition.options.scope == nil, let input, let scopeOfInput = grouping.scope {
      scope = scopeOfInput(input)
    }
    (self.isNewestOnly, self.key) = (isNewestOnly, key)
    // An older version must not arrive after a newer one.
    self.scope = scope ?? (isNewestOnly ? Self.lane(of: mutation, key) : nil)
  }

  /// The scope of runs that have none, and of which only the newest is sent.
  private static func lane(of mutation: EntryKey, _ key: String?) -> String {
    // Keys without a text are told apart by it well enough: those that are not wait for each other.
    let name = (try? mutation.key.canonicalText()) ?? mutation.key.description
    return "newest of " + name + (key.map { " " + $0 } ?? "")
  }
}
