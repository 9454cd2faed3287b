/// The decisions of an operator: the pure half of every operator that needs a task.
///
/// Inputs are facts, outputs are data. A machine never awaits, never reads a clock and never holds a task, a
/// continuation or a user's value. `OperatorStorage` performs its actions.
///
/// Every machine keeps these promises:
/// - it asks for a delivery, `finish` or `timeOut` only while a consumer waits, and then once;
/// - each arrival is delivered or discarded, once;
/// - each started upstream either reports its own end or is stopped;
/// - after the end no task is started, and late reports are discarded.
protocol OperatorMachine: Equatable, Sendable {
  /// Whether the machine's decisions depend on the time. If not, no clock is read.
  static var isTimed: Bool { get }

  /// Takes the next input.
  mutating func receive(_ input: OperatorInput, at now: Duration) -> [OperatorAction]
}
