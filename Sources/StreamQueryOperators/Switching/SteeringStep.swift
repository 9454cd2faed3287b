internal import StreamQuery

/// Makes an observer from the first element, and delivers its results as one sequence; each further element
/// moves that observer.
///
/// The operator after this step iterates the results, and meanwhile asks for elements without pause.
struct SteeringStep<Input, Value: Sendable>: _ResultStep, Sendable {
  private let begin: @Sendable (Input) -> QueryObserver<Value>
  private let steer: @Sendable (QueryObserver<Value>, Input) -> Void
  private var observer: QueryObserver<Value>?

  /// Creates a step without an observer.
  ///
  /// - Parameters:
  ///   - begin: Makes the observer for the first element.
  ///   - steer: Moves the observer for each further element.
  init(
    begin: @escaping @Sendable (Input) -> QueryObserver<Value>,
    steer: @escaping @Sendable (QueryObserver<Value>, Input) -> Void
  ) {
    self.begin = begin
    self.steer = steer
  }

  mutating func take(_ input: Input) -> QueryResults<Value>? {
    if let observer {
      steer(observer, input)
      return nil
    }
    let observer = begin(input)
    self.observer = observer
    return observer.results
  }
}
