/// What an operator does with one element: the pure half, without a wait.
///
/// A step is a value that lives in the iterator of a ``ResultSequence``, where the consumer alone
/// touches it.
public protocol ResultStep<Input, Output> {
  /// What comes.
  associatedtype Input

  /// What goes on.
  associatedtype Output

  /// Takes the next element.
  ///
  /// - Parameter input: The element.
  /// - Returns: What the consumer gets; `nil` leaves the element out.
  mutating func take(_ input: Input) -> Output?
}
