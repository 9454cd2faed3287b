internal import StreamQuery

/// The script of one call, without the type of its value.
struct ScriptStep: Sendable {
  enum Action: Sendable {
    case value(ValueBox, after: Duration)
    case failure(any Error, after: Duration)
    case wait(isReleasable: Bool)
  }

  let action: Action
  let ignoresCancellation: Bool

  /// The step of each call of a script without steps.
  static let never = ScriptStep(action: .wait(isReleasable: false), ignoresCancellation: false)
}
