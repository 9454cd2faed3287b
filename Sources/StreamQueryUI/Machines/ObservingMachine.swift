/// Decides when an observed object begins, changes and ends its observation.
///
/// | asked | idle | observing this client | observing another client |
/// |---|---|---|---|
/// | to observe a query | begin | change | begin again |
/// | to stop | nothing | end | end |
struct ObservingMachine: Equatable {
  /// The action that follows.
  enum Step: Equatable {
    case nothing
    /// Subscribe.
    case begin
    /// Tell the observer what is asked for now.
    case change
    /// Unsubscribe, and subscribe to another client.
    case beginAgain
    /// Unsubscribe; what is shown stays.
    case end
  }

  /// The client that is observed.
  private var client: ObjectIdentifier?

  /// Goes on from what is observed.
  ///
  /// - Parameter client: The client; `nil` is nothing.
  init(observing client: ObjectIdentifier? = nil) { self.client = client }

  var isObserving: Bool { client != nil }

  /// It was asked to observe a query of a client.
  ///
  /// - Parameters:
  ///   - new: The client.
  ///   - isOther: Whether query or options may differ from what is observed.
  /// - Returns: What to do.
  mutating func asked(for new: ObjectIdentifier, isOther: Bool) -> Step {
    defer { client = new }
    guard let client else { return .begin }
    guard client == new else { return .beginAgain }
    return isOther ? .change : .nothing
  }

  /// It was asked to stop.
  ///
  /// - Returns: What to do.
  mutating func stopped() -> Step {
    client.take() == nil ? .nothing : .end
  }
}
