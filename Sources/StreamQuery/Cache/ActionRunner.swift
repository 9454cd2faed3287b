/// Performs actions, outside the lock.
protocol ActionRunner {
  func perform(_ action: Action)

  /// Starts a separate task at the default priority that calls ``QueryCache/sweep(_:)``.
  func sweep()

  /// Whether the current thread may be kept from running for long, so that others must not wait for
  /// it.
  var isOfLowPriority: Bool { get }

  /// Does what only the caller of a transaction can do.
  func fulfil(_ duty: CallerDuty)
}
