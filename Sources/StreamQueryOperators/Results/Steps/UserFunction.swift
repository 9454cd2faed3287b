/// A closure of a user as a type, so that an operator is `Sendable` exactly if its closure is.
@usableFromInline
protocol UserFunction<Input, Output, Failure> {
  associatedtype Input
  associatedtype Output
  associatedtype Failure: Error

  func callAsFunction(_ input: Input) throws(Failure) -> Output
}

/// A closure that may run anywhere.
@usableFromInline
struct SharedFunction<Input, Output, Failure: Error>: UserFunction, Sendable {
  @usableFromInline let body: @Sendable (Input) throws(Failure) -> Output

  @inlinable
  init(_ body: @escaping @Sendable (Input) throws(Failure) -> Output) {
    self.body = body
  }

  @inlinable
  func callAsFunction(_ input: Input) throws(Failure) -> Output {
    try body(input)
  }
}

/// A closure that stays where it was made.
@usableFromInline
struct LocalFunction<Input, Output, Failure: Error>: UserFunction {
  @usableFromInline let body: (Input) throws(Failure) -> Output

  @inlinable
  init(_ body: @escaping (Input) throws(Failure) -> Output) {
    self.body = body
  }

  @inlinable
  func callAsFunction(_ input: Input) throws(Failure) -> Output {
    try body(input)
  }
}
