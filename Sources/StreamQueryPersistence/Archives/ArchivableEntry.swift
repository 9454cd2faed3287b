internal import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How an entry is made from the content of an archive.
struct ArchivableEntry: Sendable {
  let definition: QueryDefinition
  let decode: @Sendable (Data, ArchiveCoding) throws -> ValueBox

  init<Value: Decodable & Sendable>(of type: Value.Type, _ definition: QueryDefinition) {
    self.definition = definition
    decode = { TypedBox(try $1.decode(Value.self, from: $0)) }
  }

  /// How the entry of a definition is made if only the cache knows its value type; `nil` if the
  /// value cannot be decoded.
  init?(known type: any Any.Type, _ definition: QueryDefinition) {
    guard type is any Decodable.Type else { return nil }
    self.definition = definition
    decode = { data, coding in
      // Asked again, since the cast type may not be sent.
      guard let type = type as? any Decodable.Type else { throw ArchiveRefusal(.unknown) }
      let value = try coding.decode(type, from: data)
      guard let box = definition.box(value) else { throw ArchiveCoding.mismatch(type, value) }
      return box
    }
  }
}
