/// A closure of a user as a type, so that an operator is `Sendable` exactly if its closure is.
protocol UserFunction<Input, Output, Failure> {
  associatedtype Input
  associatedtype Output
  associatedtype Failure: Error

  func callAsFunction(_ input: Input) throws(Failure) -> Output
}

/// A closure that may run anywhere.
struct SharedFunction<Input, Output, Failure: Error>: UserFunction, Sendable {
  private let body: @Sendable (Input) throws(Failure) -> Output

  init(_ body: @escaping @Sendable (Input) throws(Failure) -> Output) {
    self.body = body
  }

  func callAsFunction(_ input: Input) throws(Failure) -> Output {
    try body(input)
  }
}

/// A closure that stays where it was made.
struct LocalFunction<Input, Output, Failure: Error>: UserFunction {
  private let body: (Input) throws(Failure) -> Output

  init(_ body: @escaping (Input) throws(Failure) -> Output) {
    self.body = body
  }

  func callAsFunction(_ input: Input) throws(Failure) -> Output {
    try body(input)
  }
}
