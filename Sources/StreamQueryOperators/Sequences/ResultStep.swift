// swift-format-ignore: NoLeadingUnderscores
/// The work of an operator on one element, without waiting.
///
/// A step is a value in the iterator of a ``ResultSequence`` or an ``EffectSequence``; no other code uses it.
public protocol _ResultStep<Input, Output> {
  /// The element of the base sequence.
  associatedtype Input

  /// The output of the step.
  associatedtype Output

  /// Takes the next element.
  ///
  /// - Parameter input: The element.
  /// - Returns: The output; `nil` if the element is omitted.
  mutating func take(_ input: Input) -> Output?
}
