public import StreamQuery

/// Tells an import what to expect: a type cannot be made from text alone.
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
/// Queries that the cache knows already, because they are observed or were fetched, need not be
/// named.
public struct Archivable: Sendable, _FreeOfActors {
  enum Kind: Sendable {
    case query(ArchivableEntry, EntryKey)
    case values(ArchivableEntry, any Any.Type)
    case keyPart(any Any.Type, KeyPartDecoding)
    case mutation(ArchivableRun, EntryKey)
    case mutations(ArchivableRun, any Any.Type)
  }

  let kind: Kind

  /// A query: its key, and its options for the entry.
  ///
  /// - Parameter query: The query.
  /// - Returns: What to expect.
  public static func query<Value: Decodable>(_ query: Query<Value>) -> Self {
    Self(kind: .query(ArchivableEntry(of: Value.self, query.definition), EntryKey(query.key)))
  }

  /// Every query of a value type.
  ///
  /// Keys of strings, numbers, booleans, dates, UUIDs, URLs and records of these are restored from
  /// their text; other types of key parts must be given as ``keyPart(_:)``.
  ///
  /// - Parameters:
  ///   - type: The value type.
  ///   - options: Options for the entries, merged over the client's defaults. They hold until a query
  ///     uses the entry, which brings its own; the longer retention stays.
  /// - Returns: What to expect.
  public static func values<Value: Decodable & Sendable>(
    of type: Value.Type,
    options: QueryOptions = .default
  ) -> Self {
    let definition = Query<Value>(key: []).options { $0 = options }.definition
    return Self(kind: .values(ArchivableEntry(of: type, definition), type))
  }

  /// A type that occurs in parts of keys, as a value or as the type itself.
  ///
  /// - Parameter type: The type.
  /// - Returns: What to expect.
  public static func keyPart<Part: Decodable & Hashable & Sendable>(_ type: Part.Type) -> Self {
    Self(kind: .keyPart(type, KeyPartDecoding(of: type)))
  }

  /// A mutation: paused runs of its key continue with its work and callbacks.
  ///
  /// - Parameter mutation: The mutation.
  /// - Returns: What to expect.
  public static func mutation<Input: Decodable, Output>(
    _ mutation: Mutation<Input, Output>
  ) -> Self {
    Self(kind: .mutation(ArchivableRun(mutation), mutation.identity))
  }

  /// A mutation without input: paused runs of its key continue with its work and callbacks.
  ///
  /// - Parameter mutation: The mutation.
  /// - Returns: What to expect.
  public static func mutation<Output>(_ mutation: Mutation<Void, Output>) -> Self {
    Self(kind: .mutation(ArchivableRun(mutation), mutation.identity))
  }

  /// Every mutation of these types: paused runs continue with the work that the defaults of their
  /// keys provide, see ``/StreamQuery/QueryClient/setMutationDefaults(_:for:perform:)``.
  ///
  /// - Parameters:
  ///   - input: The input type.
  ///   - output: The output type.
  /// - Returns: What to expect.
  public static func mutations<Input: Decodable & Sendable, Output: Sendable>(
    from input: Input.Type,
    to output: Output.Type
  ) -> Self {
    let mutation = Mutation<Input, Output>(key: [])
    return Self(kind: .mutations(ArchivableRun(mutation), Mutation<Input, Output>.self))
  }
}
