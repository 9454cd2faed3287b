internal import StreamQuery

/// A set of properties of an observed mutation, such as those that a new snapshot of its run changes.
struct MutationFields: OptionSet {
  let rawValue: UInt8

  static let status = Self(rawValue: 1)
  static let isPaused = Self(rawValue: 2)
  static let input = Self(rawValue: 4)
  static let output = Self(rawValue: 8)
  static let error = Self(rawValue: 16)
  static let failures = Self(rawValue: 32)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Finds the properties that differ between two snapshots.
  ///
  /// Inputs, outputs and errors cannot be compared, so they count as changed with another run or at the end
  /// of a run.
  init<Input, Output>(_ old: MutationRun<Input, Output>, _ new: MutationRun<Input, Output>) {
    let isOther = old.idempotencyKey != new.idempotencyKey
    let hasEnded = isOther || old.status != new.status
    rawValue = 0
    if old.status != new.status { insert(.status) }
    if old.isPaused != new.isPaused { insert(.isPaused) }
    if isOther { insert(.input) }
    if hasEnded, old.isSuccess || new.isSuccess { insert(.output) }
    if hasEnded, old.isError || new.isError { insert(.error) }
    if isOther || old.failureCount != new.failureCount { insert(.failures) }
  }
}
