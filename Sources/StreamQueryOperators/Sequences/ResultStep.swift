/// What an operator does with one element, without waiting.
///
/// A step is a value in the iterator of a ``ResultSequence`` or an ``EffectSequence``, which nothing
/// else touches.
public protocol ResultStep<Input, Output> {
  /// What the base sequence gives.
  associatedtype Input

  /// What the step lets through.
  associatedtype Output

  /// Takes the next element.
  ///
  /// - Parameter input: The element.
  /// - Returns: The output; `nil` leaves the element out.
  mutating func take(_ input: Input) -> Output?
}
