/// What a write takes over from the query that it names: all that has nothing to do with fetching.
struct WriteTerms {
  private let written: QueryDefinition?

  /// What a write says.
  ///
  /// - Parameter definition: The query that is written to; `nil` if only its key is known.
  init(_ definition: QueryDefinition?) {
    written = definition
  }

  /// Whether only the key is known: another query may say how the data is fetched or kept.
  var isOfKeyAlone: Bool { written?.isOfKeyAlone ?? true }

  /// How the data is kept beyond the cache; `nil` if the query does not say.
  var persistence: (any PersistencePolicy)? { written?.persistence }

  /// How long the data is kept unobserved; `nil` if the query does not say.
  var gcTime: TimeSpan? {
    @inline(__always) get { written?.options.gcTime.map(TimeSpan.init) }
  }

  var hasMeta: Bool {
    @inline(__always) get { written?.options.meta != nil }
  }

  /// Whether the entry begins as any other of its type.
  var isEmpty: Bool {
    guard let written else { return true }
    return gcTime == nil && !hasMeta && written.persistence == nil
  }

  /// The query that is written to, as far as the call names it.
  func query(of type: any Sendable.Type) -> QueryDefinition {
    written ?? QueryDefinition(of: type)
  }

  /// The definition of an entry that begins with the write.
  func definition(of type: any Sendable.Type) -> QueryDefinition {
    guard let written, !isEmpty else { return QueryDefinition(of: type) }
    var options = QueryOptions.default
    options.gcTime = written.options.gcTime
    options.meta = written.options.meta
    let definition = QueryDefinition(of: type, options: options)
    guard let policy = written.persistence else { return definition }
    return definition.with { $0.persistence = policy }
  }
}
