#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A run that waits in an outbox, or is being sent.
public struct OutboxItem: Sendable, Identifiable {
  /// The state of an item.
  public enum State: Sendable {
    /// The item's record is being written; before that, the item is not sent.
    case saving
    /// The item waits for its turn in its scope, its delay, the network, the app or its next attempt.
    case waiting
    /// The work or the callbacks of the item are running.
    case sending
    /// The item failed with this error and waits for the app's decision; later items of its scope wait, too.
    case stopped(any Error)
    /// The item waits for its mutation to be registered; later items of its scope wait, too.
    case unregistered
  }

  /// An identity that the item keeps for as long as it is in the outbox.
  public let id: UUID
  /// The mutation's key as text.
  public let mutation: String
  /// The scope of the run.
  public let scope: String?
  /// The state of the item.
  public let state: State
  /// The number of failed attempts in this process, since ``Outbox/rebase(_:with:)`` if that was called.
  public let attempts: Int
  /// The error of the newest attempt; `nil` if that did not fail.
  public let error: (any Error)?
  /// The date when the run was started.
  public let enqueuedAt: Date
  /// The key of all attempts with this input, see ``/StreamQuery/MutationContext/idempotencyKey``.
  public let idempotencyKey: UUID
  /// The input as JSON.
  public let input: Data

  /// Whether the item has failed, and waits for the app's decision.
  var isStopped: Bool {
    switch state {
    case .stopped: true
    case .saving, .waiting, .sending, .unregistered: false
    }
  }

  /// Decodes the input.
  ///
  /// - Parameter type: The type of the mutation's input.
  /// - Returns: The input.
  /// - Throws: The error of the type's own decoding.
  public func input<Input: Decodable>(as type: Input.Type) throws -> Input {
    try ArchiveCoding.json.decode(type, from: input)
  }
}
