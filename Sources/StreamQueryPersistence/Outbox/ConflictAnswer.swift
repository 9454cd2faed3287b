/// The answer to the error of a durable mutation that is not retried.
public enum ConflictAnswer<Input: Sendable>: Sendable {
  /// The run is sent again as it is, with the same idempotency key, after the delay of its retries.
  case retry
  /// The run is sent again with another input after the delay of its retries, and with another
  /// idempotency key: it is another request.
  ///
  /// ``/StreamQuery/MutationContext/attempt`` continues to count. If the input cannot be written,
  /// the item stops, see ``ask``.
  case rebase(Input)
  /// The run fails: its changes are rolled back, its callbacks are called, and its record is
  /// removed.
  case drop
  /// The item stays in the outbox until it gets an answer, see ``Outbox/retry(_:)``,
  /// ``Outbox/rebase(_:with:)`` and ``Outbox/drop(_:)``; its scope waits.
  case ask
}
