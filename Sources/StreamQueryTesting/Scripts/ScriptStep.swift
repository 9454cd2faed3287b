internal import StreamQuery

/// What one call does, without the type of its value.
struct ScriptStep: Sendable {
  enum Action: Sendable {
    case value(ValueBox, after: Duration)
    case failure(any Error, after: Duration)
    case wait(isReleasable: Bool)
  }

  let action: Action
  let ignoresCancellation: Bool

  /// What calls do if the script has no steps.
  static let never = ScriptStep(action: .wait(isReleasable: false), ignoresCancellation: false)
}
