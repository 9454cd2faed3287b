internal import StreamQuery

/// The behaviour of one call of a scripted fetch, without the type of its value.
struct ScriptStep: Sendable {
  enum Action: Sendable {
    case value(ValueBox, after: Duration)
    case failure(any Error, after: Duration)
    case wait(isReleasable: Bool)
  }

  let action: Action
  let ignoresCancellation: Bool

  /// The step of each call in an empty script: the call waits until it is cancelled.
  static let never = ScriptStep(action: .wait(isReleasable: false), ignoresCancellation: false)
}
