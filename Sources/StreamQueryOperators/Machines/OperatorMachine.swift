/// The decisions of an operator that needs a task, as a pure function.
///
/// A machine receives facts and returns actions, which `OperatorStorage` performs. It never awaits, never
/// reads a clock and never has a task, a continuation or a user's value.
///
/// Every machine keeps these promises:
/// - it asks for a delivery, `finish` or `timeOut` only while a consumer waits, and then once;
/// - each arrival is delivered or discarded, once;
/// - each started upstream either reports its own end or is stopped;
/// - after the end no task is started, and late reports are discarded.
protocol OperatorMachine: Equatable, Sendable {
  /// Whether the machine's decisions depend on the time. If not, no clock is read.
  static var isTimed: Bool { get }

  /// Receives the next input, and returns the actions to perform.
  mutating func receive(_ input: OperatorInput, at now: Duration) -> [OperatorAction]
}
