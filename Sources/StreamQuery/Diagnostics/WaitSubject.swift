/// What a caller waits for, and which observer wants to hear of it.
struct WaitSubject: Sendable {
  let observer: any WaitObserver
  let isElsewhere: Bool
  /// Whether what is waited for has no executor of its own: a preview has one.
  let isOnPool: Bool
  let text: @Sendable () -> String
}

extension WaitSubject {
  /// What the present task waits for; `nil` in an app.
  ///
  /// - Parameters:
  ///   - own: The observer of what is waited for, if it lives in a simulation.
  ///   - executor: Where that runs.
  ///   - text: What it is, in words.
  init?(
    _ own: (any WaitObserver)?,
    on executor: (any TaskExecutor)?,
    _ text: @escaping @Sendable () -> String
  ) {
    let elsewhere = own == nil ? Scheduling.current.executor as? any WaitObserver : nil
    guard let observer = own ?? elsewhere else { return nil }
    self.init(
      observer: observer,
      isElsewhere: own == nil,
      isOnPool: executor == nil,
      text: text
    )
  }

  /// Tells that what is waited for is not part of the observer's world.
  ///
  /// - Parameter owner: An object that lives at least as long as the wait.
  func tellElsewhere(_ owner: any AnyObject & Sendable) {
    observer.waitsElsewhere(for: text, owner: owner, isOnPool: isOnPool)
  }
}
