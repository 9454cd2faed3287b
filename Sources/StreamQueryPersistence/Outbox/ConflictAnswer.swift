/// What becomes of a durable mutation that failed and is not retried.
public enum ConflictAnswer<Input: Sendable>: Sendable {
  /// It is sent again as it is, with the same idempotency key, after the wait of its retries.
  case retry
  /// It is sent again with another input after the wait of its retries, and with another
  /// idempotency key: it is another request. ``/StreamQuery/MutationContext/attempt`` counts on. If
  /// the input cannot be written, the item stops, see ``ask``.
  case rebase(Input)
  /// It fails: its changes are rolled back, its callbacks are called, and its record is removed.
  case drop
  /// It stays in the outbox until somebody answers, see ``Outbox/retry(_:)``,
  /// ``Outbox/rebase(_:with:)`` and ``Outbox/drop(_:)``; its scope waits.
  case ask
}
