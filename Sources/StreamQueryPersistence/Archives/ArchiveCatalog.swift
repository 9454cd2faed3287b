internal import StreamQuery

/// The queries, mutations and types that an import expects, by their texts in an archive.
///
/// The methods have no effects, apart from those of the user's own `init(from:)`.
struct ArchiveCatalog {
  /// The expectations of one kind, by their texts.
  struct Expected<Definition: Sendable> {
    var keys: [String: (ArchivableContent<Definition>, EntryKey)] = [:]
    var types: [String: (ArchivableContent<Definition>, any Any.Type)] = [:]
  }

  private(set) var queries = Expected<QueryDefinition>()
  private(set) var mutations = Expected<MutationDefinition>()
  private var vocabulary = KeyVocabulary()
  /// The expected queries and mutations with keys that have no text.
  private(set) var skipped: [ArchiveImport.Skipped] = []

  init(_ archivables: [Archivable]) {
    for archivable in archivables {
      switch archivable.kind {
      case .query(let entry, let key):
        if let text = writtenText(of: key, isMutation: false) { queries.keys[text] = (entry, key) }
      case .values(let entry, let type):
        queries.types[stableName(of: type)] = (entry, type)
        vocabulary.expect(type)
      case .keyPart(let type, let decoding):
        vocabulary.expect(type, decoding)
      case .mutation(let run, let key):
        if let text = writtenText(of: key, isMutation: true) { mutations.keys[text] = (run, key) }
      case .mutations(let run, let type):
        mutations.types[stableName(of: type)] = (run, type)
      }
    }
  }

  /// Returns the text of a key; a key that has none is skipped.
  private mutating func writtenText(of key: EntryKey, isMutation: Bool) -> String? {
    do throws(KeyEncodingError) {
      return try key.canonicalText()
    } catch {
      skipped.append(
        ArchiveImport.Skipped(
          key: "\(key.valueTypeName)\(key.key)",
          isMutation: isMutation,
          reason: .key(error)
        )
      )
      return nil
    }
  }

  /// Adds entries that the cache already has, except for those with a key that is expected already.
  mutating func addKnown(_ entries: [(key: EntryKey, definition: QueryDefinition)]) {
    for (key, definition) in entries {
      guard let text = try? key.canonicalText(), queries.keys[text] == nil,
        let entry = ArchivableContent(known: key.valueType, definition)
      else { continue }
      queries.keys[text] = (entry, key)
    }
  }

  /// Returns whether all entries have a key or a value type that the import expects.
  func expects(_ entries: [CacheArchive.Entry]) -> Bool {
    entries.allSatisfy {
      queries.keys[$0.key] != nil || queries.types[Self.typeName($0.key)] != nil
    }
  }

  /// Returns the maker of the entry or the run for a key.
  ///
  /// - Parameters:
  ///   - text: The types and the key, as text.
  ///   - expected: Either ``queries`` or ``mutations``.
  /// - Returns: The maker, and the key.
  /// - Throws: ``ArchiveRefusal`` if the import does not expect the key, or cannot decode it.
  func found<Definition>(
    _ text: String,
    in expected: Expected<Definition>
  ) throws(ArchiveRefusal) -> (ArchivableContent<Definition>, EntryKey) {
    if let known = expected.keys[text] { return known }
    guard let (content, type) = expected.types[Self.typeName(text)] else {
      throw ArchiveRefusal(reason: .unknown)
    }
    return (content, EntryKey(try key(text), valueType: type))
  }

  private func key(_ text: String) throws(ArchiveRefusal) -> AnyQueryKey {
    do {
      return try vocabulary.key(text[Self.typeName(text).endIndex...])
    } catch {
      throw ArchiveRefusal(reason: .unreadableKey(error))
    }
  }

  /// Returns the name of the type, which is the text before the first bracket: the key's parts begin there,
  /// and no name of a type contains a bracket.
  private static func typeName(_ text: String) -> Substring {
    text.prefix { $0 != "[" }
  }
}

extension Dictionary where Key == String {
  fileprivate subscript(name: Substring) -> Value? { self[String(name)] }
}
