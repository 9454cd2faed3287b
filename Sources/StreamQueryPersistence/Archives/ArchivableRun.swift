internal import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Makes a run from the content of an archive.
struct ArchivableRun: Sendable {
  let definition: MutationDefinition
  let decode: @Sendable (Data, ArchiveCoding) throws -> ValueBox

  init<Input: Decodable, Output>(_ mutation: Mutation<Input, Output>) {
    definition = mutation.definition
    decode = { TypedBox(try $1.decode(Input.self, from: $0)) }
  }

  init<Output>(_ mutation: Mutation<Void, Output>) {
    definition = mutation.definition
    decode = { _, _ in TypedBox(()) }
  }
}
