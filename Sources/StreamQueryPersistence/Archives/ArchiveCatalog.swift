internal import StreamQuery

/// The queries, mutations and types that an import expects, by their texts in an archive.
///
/// The methods have no effects, apart from those of the user's own `init(from:)`.
struct ArchiveCatalog {
  private var queries: [String: (ArchivableEntry, EntryKey)] = [:]
  private var values: [String: (ArchivableEntry, any Any.Type)] = [:]
  private var mutations: [String: (ArchivableRun, EntryKey)] = [:]
  private var mutationTypes: [String: (ArchivableRun, any Any.Type)] = [:]
  private var vocabulary = KeyVocabulary()
  /// The expected queries and mutations with keys that have no text.
  private(set) var skipped: [ArchiveImport.Skipped] = []

  init(_ archivables: [Archivable]) {
    for archivable in archivables {
      switch archivable.kind {
      case .query(let entry, let key):
        expect(key, isMutation: false) { $0.queries[$1] = (entry, key) }
      case .values(let entry, let type):
        values[stableName(of: type)] = (entry, type)
        vocabulary.expect(type)
      case .keyPart(let type, let decoding):
        vocabulary.expect(type, decoding)
      case .mutation(let run, let key):
        expect(key, isMutation: true) { $0.mutations[$1] = (run, key) }
      case .mutations(let run, let type):
        mutationTypes[stableName(of: type)] = (run, type)
      }
    }
  }

  private mutating func expect(
    _ key: EntryKey,
    isMutation: Bool,
    _ add: (inout Self, String) -> Void
  ) {
    do throws(KeyEncodingError) {
      add(&self, try key.canonicalText())
    } catch {
      skipped.append(
        ArchiveImport.Skipped(
          key: "\(key.valueTypeName)\(key.key)",
          isMutation: isMutation,
          reason: .key(error)
        )
      )
    }
  }

  /// Adds entries that the cache already has, except for those with a key that is expected already.
  mutating func addKnown(_ entries: [(key: EntryKey, definition: QueryDefinition)]) {
    for (key, definition) in entries {
      guard let text = try? key.canonicalText(), queries[text] == nil,
        let entry = ArchivableEntry(known: key.valueType, definition)
      else { continue }
      queries[text] = (entry, key)
    }
  }

  /// Returns whether all entries have a key or a value type that the import expects.
  func expects(_ entries: [CacheArchive.Entry]) -> Bool {
    entries.allSatisfy { queries[$0.key] != nil || values[Self.typeName($0.key)] != nil }
  }

  /// Returns a maker of the entry for a key.
  ///
  /// - Parameter text: The value type and the key, as text.
  /// - Returns: The maker, and the key.
  /// - Throws: ``ArchiveRefusal`` if the import does not expect the key, or cannot decode it.
  func entry(_ text: String) throws(ArchiveRefusal) -> (ArchivableEntry, EntryKey) {
    if let known = queries[text] { return known }
    guard let (entry, type) = values[Self.typeName(text)] else { throw ArchiveRefusal(.unknown) }
    return (entry, EntryKey(try key(text), valueType: type))
  }

  /// Returns a maker of a mutation's run.
  ///
  /// - Parameter text: The types and the key, as text.
  /// - Returns: The maker, and the key.
  /// - Throws: ``ArchiveRefusal`` if the import does not expect the key, or cannot decode it.
  func run(_ text: String) throws(ArchiveRefusal) -> (ArchivableRun, EntryKey) {
    if let known = mutations[text] { return known }
    guard let (run, type) = mutationTypes[Self.typeName(text)] else {
      throw ArchiveRefusal(.unknown)
    }
    return (run, EntryKey(try key(text), valueType: type))
  }

  private func key(_ text: String) throws(ArchiveRefusal) -> AnyQueryKey {
    do {
      return try vocabulary.key(text[Self.typeName(text).endIndex...])
    } catch {
      throw ArchiveRefusal(.unreadableKey(error))
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
