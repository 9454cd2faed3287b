internal import StreamQuery

/// The expectations of an import, by the text of keys and types.
///
/// It has no effects, apart from those of the user's own `init(from:)`.
struct ArchiveCatalog {
  private var queries: [String: (ArchivableEntry, EntryKey)] = [:]
  private var values: [String: (ArchivableEntry, any Any.Type)] = [:]
  private var mutations: [String: (ArchivableRun, EntryKey)] = [:]
  private var mutationTypes: [String: (ArchivableRun, any Any.Type)] = [:]
  private var vocabulary = KeyVocabulary()
  /// The expectations that have no text.
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

  /// Adds expectations for entries that the cache has already, unless their keys are expected
  /// anyway.
  mutating func addKnown(_ entries: [(key: EntryKey, definition: QueryDefinition)]) {
    for (key, definition) in entries {
      guard let text = try? key.canonicalText(), queries[text] == nil,
        let entry = ArchivableEntry(known: key.valueType, definition)
      else { continue }
      queries[text] = (entry, key)
    }
  }

  /// Whether all these keys are expected by key or type.
  func expects(_ entries: [CacheArchive.Entry]) -> Bool {
    entries.allSatisfy { queries[$0.key] != nil || values[Self.typeName($0.key)] != nil }
  }

  /// Returns the maker of the entry of a key.
  ///
  /// - Parameter text: The type and the key.
  /// - Returns: The maker, and the key.
  /// - Throws: ``ArchiveRefusal`` if it cannot be made.
  func entry(_ text: String) throws(ArchiveRefusal) -> (ArchivableEntry, EntryKey) {
    if let known = queries[text] { return known }
    guard let (entry, type) = values[Self.typeName(text)] else { throw ArchiveRefusal(.unknown) }
    return (entry, EntryKey(try key(text), valueType: type))
  }

  /// Returns the maker of a run of a mutation.
  ///
  /// - Parameter text: The types and the key.
  /// - Returns: The maker, and the key.
  /// - Throws: ``ArchiveRefusal`` if it cannot be made.
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

  /// The text before the key's parts, which begin at the first bracket: no type's name contains
  /// one.
  private static func typeName(_ text: String) -> Substring {
    text.prefix { $0 != "[" }
  }
}

extension Dictionary where Key == String {
  fileprivate subscript(name: Substring) -> Value? { self[String(name)] }
}
