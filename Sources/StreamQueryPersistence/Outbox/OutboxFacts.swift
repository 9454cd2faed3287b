internal import StreamQuery

/// The facts from which an outbox's advice is derived.
struct OutboxFacts {
  /// Whether the system may delete the outbox's store when it needs room.
  var isPurgeable = false
  /// The keys that are shared by durable mutations of different types.
  var sameNames: [String] = []
  /// The durable mutations that replace identifiers and have no scope.
  ///
  /// A later run that mentions such an identifier may be sent before the identifier is replaced.
  var unorderedReplacers: [String] = []

  /// The advice that follows from these facts.
  var advice: [QueryAdvice] {
    [purgeableOutbox, sameKey, replacedIDsWithoutScope].compactMap(\.self)
  }

  private var purgeableOutbox: QueryAdvice? {
    guard isPurgeable else { return nil }
    return QueryAdvice(
      rule: "purgeableOutbox",
      problem: "The outbox is in a directory for caches",
      reason: """
        The system deletes such a directory when it needs room, with runs that were not sent
        """,
      remedy: """
        Give the outbox a store of its own: FileStore(directory: .applicationSupportDirectory.appending(\
        path: "Outbox")), or a DefaultsStore on tvOS
        """,
      article: "TheOutbox"
    )
  }

  private var sameKey: QueryAdvice? {
    QueryAdvice(
      rule: "sameMutationKey",
      problem: "Durable mutations of different types have one key",
      of: sameNames,
      reason: """
        After a restart their records cannot be told apart, so that one type reads all of them
        """,
      remedy: "Give each of them a key of its own, such as Mutation(\"rename-user\") { … }",
      article: "TheOutbox"
    )
  }

  private var replacedIDsWithoutScope: QueryAdvice? {
    QueryAdvice(
      rule: "replacedIDsWithoutScope",
      problem: "replacingIDs without a scope",
      of: unorderedReplacers,
      reason: """
        A later run that names the temporary identifier may be sent before the real one is known
        """,
      remedy: "Write .scope(\"items\") on the mutation, and on those that use its identifiers",
      article: "TheOutbox"
    )
  }
}

extension OutboxMaking: Adviser {
  func advice(for client: QueryClient, isEarly: Bool) -> [QueryAdvice] {
    guard let engine = client.durableRuns as? OutboxEngine else { return [] }
    let (known, sameNames) = engine.update { (Array($0.registrations.values), $0.sameNames) }
    let unordered = known.filter { known in
      let defaults = client.mutationDefaults(for: known.key.key)
      return known.definition.outboxPolicy.replacedIDs != nil && !known.definition.ordersRuns
        && defaults.scope == nil && defaults.pacing != .newest
    }
    return OutboxFacts(
      isPurgeable: (engine.store as? FileStore)?.isInCaches ?? false,
      sameNames: Array(sameNames),
      unorderedReplacers: unordered.map(\.key.key.description)
    ).advice
  }
}
