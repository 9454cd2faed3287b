internal import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The policy of a durable mutation in the outbox, without the mutation's types.
struct OutboxPolicy: RunPolicy {
  /// The answer of an `onConflict` handler, without types.
  enum Answer: Sendable {
    case retry
    case rebase(ValueBox)
    case drop
    case ask
  }

  typealias Conflict = @Sendable (any Error, ValueBox, MutationContext) async -> Answer

  /// The functions that encode, decode and box the inputs of a durable mutation.
  struct Form: Sendable {
    var version: String
    var encode: @Sendable (ValueBox) throws -> Data
    /// Gets the encoded input, and the version with which it was encoded.
    var decode: @Sendable (Data, String) throws -> ValueBox
    /// Boxes a value; `nil` if it is not of the input's type.
    var box: @Sendable (any Sendable) -> ValueBox?
  }

  var form: Form?
  /// Gets an input and its output; returns the real identifier for each temporary one.
  var replacedIDs: (@Sendable (ValueBox, ValueBox) -> [String: String])?
  var onConflict: Conflict?

  var isDurable: Bool { form != nil }
  var answersErrors: Bool { onConflict != nil }
}

extension MutationDefinition {
  /// The outbox policy of the mutation; an empty one if it is not durable.
  var outboxPolicy: OutboxPolicy { keeping as? OutboxPolicy ?? OutboxPolicy() }
}
