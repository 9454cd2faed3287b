/// The scope and the pacing key of a mutation's run, by its input if the mutation has functions for them.
struct RunPacing {
  let scope: String?
  let isNewestOnly: Bool
  /// Identifies the item that the run changes, if the mutation has a function for it: see ``PacedRuns``.
  let key: String?

  /// Evaluates the mutation's functions; they are user code.
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
    // The mutation's own options have a higher rank than the defaults of its key.
    var scope = options.scope
    if definition.options.scope == nil, let input, let scopeOfInput = grouping.scope {
      scope = scopeOfInput(input)
    }
    (self.isNewestOnly, self.key) = (isNewestOnly, key)
    // Runs for one item need a scope, so that an older run does not arrive after a newer one.
    self.scope = scope ?? (isNewestOnly ? Self.lane(of: mutation, key) : nil)
  }

  /// The scope of a mutation that sends only the newest run, if the mutation names no scope itself.
  private static func lane(of mutation: EntryKey, _ key: String?) -> String {
    // Keys without a text are distinguished by their descriptions: if two keys have the same
    // description, their runs wait for each other.
    let name = (try? mutation.key.canonicalText()) ?? mutation.key.description
    return "newest of " + name + (key.map { " " + $0 } ?? "")
  }
}
