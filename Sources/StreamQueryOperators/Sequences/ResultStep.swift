// swift-format-ignore: NoLeadingUnderscores
/// The work of an operator on one element, without waiting.
///
/// A step is a value in the iterator of a ``ResultSequence`` or an ``EffectSequence``, which no other code
/// uses.
public protocol _ResultStep<Input, Output> {
  /// The element of the base sequence.
  associatedtype Input

  /// The output of the step.
  associatedtype Output

  /// Takes the next element.
  ///
  /// - Parameter input: The element.
  /// - Returns: The output; `nil` omits the element.
  mutating func take(_ input: Input) -> Output?
}
