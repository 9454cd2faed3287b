/// What a caller waits for, and which observer wants to hear of it.
struct WaitSubject: Sendable {
  let observer: any WaitObserver
  let isElsewhere: Bool
  let text: @Sendable () -> String
}

extension WaitSubject {
  /// What the present task waits for; `nil` in an app.
  ///
  /// - Parameters:
  ///   - own: The observer of what is waited for, if it lives in a simulation.
  ///   - text: What it is, in words.
  init?(_ own: (any WaitObserver)?, _ text: @escaping @Sendable () -> String) {
    let elsewhere = own == nil ? Scheduling.current.executor as? any WaitObserver : nil
    guard let observer = own ?? elsewhere else { return nil }
    self.init(observer: observer, isElsewhere: own == nil, text: text)
  }
}
