/// The answer of an `onConflict` handler to the error of a durable mutation that has no retries left.
public enum ConflictAnswer<Input: Sendable>: Sendable {
  /// Sends the run again with the same input and idempotency key, after the delay of its retries.
  case retry
  /// Sends the run again with another input, after the delay of its retries. The new request has another
  /// idempotency key.
  ///
  /// ``/StreamQuery/MutationContext/attempt`` continues to count. If the input cannot be encoded, the item
  /// stops as it does for ``ask``.
  case rebase(Input)
  /// Lets the run fail: its changes are rolled back, its callbacks are called, and its record is removed.
  case drop
  /// Stops the item in the outbox until ``Outbox/retry(_:)``, ``Outbox/rebase(_:with:)`` or
  /// ``Outbox/drop(_:)`` is called; later runs of its scope wait.
  case ask
}
