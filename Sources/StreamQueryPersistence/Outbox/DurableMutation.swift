public import StreamQuery

/// A durable mutation of any input and output types, for lists of such mutations.
///
/// See ``OutboxConfiguration/init(in:partition:mutations:restoreTimeout:)``.
///
/// ``/StreamQuery/Mutation`` is the only type that conforms to this protocol.
public protocol DurableMutation: Sendable {
  /// The mutation without its types, for the library's own use.
  var registration: MutationRegistration { get }
}

/// A mutation without its types, for the library's own use.
public struct MutationRegistration: Sendable {
  let key: EntryKey
  let definition: MutationDefinition
}

extension Mutation: DurableMutation {
  /// The mutation without its types, for the library's own use.
  public var registration: MutationRegistration {
    MutationRegistration(key: identity, definition: definition)
  }
}
