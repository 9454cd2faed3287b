public import StreamQuery

/// A query, a mutation or a type that an import expects, because an archive's text alone does not give types.
///
/// ```swift
/// client.import(archive, for: [
///   .values(of: User.self),    // every key with this value type
///   .query(.users),            // this key, with the query's options
///   .keyPart(Category.self),   // a type that parts of keys have
///   .mutation(.rename()),      // paused runs of this mutation
/// ])
/// ```
///
/// Queries that the cache knows already, because they are observed or were fetched, need not be named.
public struct Archivable: Sendable, _FreeOfActors {
  enum Kind: Sendable {
    case query(ArchivableContent<QueryDefinition>, EntryKey)
    case values(ArchivableContent<QueryDefinition>, any Any.Type)
    case keyPart(any Any.Type, KeyPartDecoding)
    case mutation(ArchivableContent<MutationDefinition>, EntryKey)
    case mutations(ArchivableContent<MutationDefinition>, any Any.Type)
  }

  let kind: Kind

  /// Says that the archive may have the entry of a query, which gets the query's options.
  ///
  /// - Parameter query: The query.
  /// - Returns: The expectation.
  public static func query<Value: Decodable>(_ query: Query<Value>) -> Self {
    Self(kind: .query(ArchivableContent(of: Value.self, query.definition), EntryKey(query.key)))
  }

  /// Expects every query of a value type.
  ///
  /// Keys of strings, numbers, booleans, dates, UUIDs, URLs and records of these are restored from
  /// their text; expect other types of key parts with ``keyPart(_:)``.
  ///
  /// - Parameters:
  ///   - type: The value type.
  ///   - options: Options for the entries, merged over the client's defaults. The options of the next query
  ///     that uses the entry replace them, except for a longer retention.
  /// - Returns: The expectation.
  public static func values<Value: Decodable & Sendable>(
    of type: Value.Type,
    options: QueryOptions = .default
  ) -> Self {
    let definition = Query<Value>(key: []).options { $0 = options }.definition
    return Self(kind: .values(ArchivableContent(of: type, definition), type))
  }

  /// Expects a type in parts of keys: values of the type, or the type itself.
  ///
  /// - Parameter type: The type.
  /// - Returns: The expectation.
  public static func keyPart<Part: Decodable & Hashable & Sendable>(_ type: Part.Type) -> Self {
    Self(kind: .keyPart(type, KeyPartDecoding(of: type)))
  }

  /// Expects a mutation: paused runs of its key continue with its work and callbacks.
  ///
  /// - Parameter mutation: The mutation.
  /// - Returns: The expectation.
  public static func mutation<Input: Decodable, Output>(
    _ mutation: Mutation<Input, Output>
  ) -> Self {
    let content = ArchivableContent(of: Input.self, mutation.definition)
    return Self(kind: .mutation(content, mutation.identity))
  }

  /// Expects a mutation without input: paused runs of its key continue with its work and callbacks.
  ///
  /// - Parameter mutation: The mutation.
  /// - Returns: The expectation.
  public static func mutation<Output>(_ mutation: Mutation<Void, Output>) -> Self {
    let content = ArchivableContent(definition: mutation.definition) { _, _ in TypedBox(()) }
    return Self(kind: .mutation(content, mutation.identity))
  }

  /// Expects every mutation of these types: paused runs continue with the work of the defaults of
  /// their keys, see ``/StreamQuery/QueryClient/setMutationDefaults(_:for:perform:)``.
  ///
  /// - Parameters:
  ///   - input: The input type.
  ///   - output: The output type.
  /// - Returns: The expectation.
  public static func mutations<Input: Decodable & Sendable, Output: Sendable>(
    from input: Input.Type,
    to output: Output.Type
  ) -> Self {
    let mutation = Mutation<Input, Output>(key: [])
    let content = ArchivableContent(of: input, mutation.definition)
    return Self(kind: .mutations(content, Mutation<Input, Output>.self))
  }
}
