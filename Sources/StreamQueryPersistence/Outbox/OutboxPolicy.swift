internal import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The policy for keeping runs of a durable mutation, without its types.
struct OutboxPolicy: RunPolicy {
  /// The answer to the error of a run, without types.
  enum Answer: Sendable {
    case retry
    case rebase(ValueBox)
    case drop
    case ask
  }

  typealias Conflict = @Sendable (any Error, ValueBox, MutationContext) async -> Answer

  /// The form in which inputs are written and read; `nil` if the mutation is not durable.
  struct Form: Sendable {
    var version: String
    var encode: @Sendable (ValueBox) throws -> Data
    /// Gets the input, and the version with which it was written.
    var decode: @Sendable (Data, String) throws -> ValueBox
    /// Whether a value is of the input's type.
    var box: @Sendable (any Sendable) -> ValueBox?
  }

  var form: Form?
  /// The identifiers that an input and its output replace.
  var replacedIDs: (@Sendable (ValueBox, ValueBox) -> [String: String])?
  var onConflict: Conflict?

  var isDurable: Bool { form != nil }
  var answersErrors: Bool { onConflict != nil }
}

extension MutationDefinition {
  /// The policy in the outbox's type.
  var outboxPolicy: OutboxPolicy { keeping as? OutboxPolicy ?? OutboxPolicy() }
}
