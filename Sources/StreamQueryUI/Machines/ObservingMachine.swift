/// Decides when an observed object begins, changes and ends its observation.
///
/// | asked | idle | observing this client | observing another client |
/// |---|---|---|---|
/// | to observe a query | begin | change | begin again |
/// | to stop | nothing | end | end |
struct ObservingMachine: Equatable {
  /// The action that follows from a request.
  enum Step: Equatable {
    case nothing
    /// Subscribe.
    case begin
    /// Change the query or the options of the observer.
    case change
    /// Unsubscribe, and subscribe to another client.
    case beginAgain
    /// Unsubscribe, and keep the shown results.
    case end
  }

  /// The observed client.
  private var client: ObjectIdentifier?

  /// Creates a machine for an object that observes a client or nothing.
  ///
  /// - Parameter client: The observed client; `nil` for none.
  init(observing client: ObjectIdentifier? = nil) { self.client = client }

  var isObserving: Bool { client != nil }

  /// Takes the request to observe a query of a client.
  ///
  /// - Parameters:
  ///   - new: The client.
  ///   - isOther: Whether query or options may differ from the present ones.
  /// - Returns: The action.
  mutating func asked(for new: ObjectIdentifier, isOther: Bool) -> Step {
    defer { client = new }
    guard let client else { return .begin }
    guard client == new else { return .beginAgain }
    return isOther ? .change : .nothing
  }

  /// Takes the request to stop.
  ///
  /// - Returns: The action.
  mutating func stopped() -> Step {
    client.take() == nil ? .nothing : .end
  }
}
