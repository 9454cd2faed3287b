/// Performs errands, outside the lock.
protocol ErrandRunner {
  func perform(_ errand: Errand)

  /// Has a task of its own call ``QueryCache/sweep(_:)``, at the ordinary priority.
  func sweep()

  /// Whether the present thread may be kept from running for long, so that others must not wait for it.
  var isOfLowPriority: Bool { get }

  /// Does what only the caller of a turn can do.
  func fulfil(_ duty: CallerDuty)
}
