/// What an operator on results does with one element: the pure half, without a wait.
///
/// It is a value that lives in the iterator, where the consumer alone touches it.
@usableFromInline
protocol ResultStep {
  associatedtype Input
  associatedtype Output

  /// Takes the next element; `nil` leaves it out.
  mutating func take(_ input: Input) -> Output?
}
