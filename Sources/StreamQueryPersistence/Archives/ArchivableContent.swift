internal import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Makes an entry or a run from the content of an archive.
struct ArchivableContent<Definition: Sendable>: Sendable {
  let definition: Definition
  let decode: @Sendable (Data, ArchiveCoding) throws -> ValueBox
}

extension ArchivableContent {
  init<Value: Decodable & Sendable>(of type: Value.Type, _ definition: Definition) {
    self.init(definition: definition) { TypedBox(try $1.decode(Value.self, from: $0)) }
  }
}

extension ArchivableContent<QueryDefinition> {
  /// Creates a maker of entries for a query that the cache already knows; `nil` if the query's values cannot
  /// be decoded.
  init?(known type: any Any.Type, _ definition: QueryDefinition) {
    guard type is any Decodable.Type else { return nil }
    self.init(definition: definition) { data, coding in
      // The type is cast a second time, because the metatype of the first cast cannot be sent to another
      // thread.
      guard let type = type as? any Decodable.Type else { throw ArchiveRefusal(reason: .unknown) }
      let value = try coding.decode(type, from: data)
      guard let box = definition.box(value) else { throw ArchiveCoding.mismatch(type, value) }
      return box
    }
  }
}
