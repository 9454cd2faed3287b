/// A time at which something happens, unless it is cancelled before; see ``Deadlines``.
public struct Deadline: Sendable {
  let deadlines: Deadlines
  let id: DeadlineTable<Deadlines.Work>.ID

  /// Cancels the deadline, and releases its work; does nothing if its time has come.
  ///
  /// - Complexity: O(log *n*) in the number of deadlines.
  public func cancel() { deadlines.cancel(id) }
}
