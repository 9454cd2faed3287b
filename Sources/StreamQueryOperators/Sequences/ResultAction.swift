/// A user's closure, which runs on the actor to which it belongs.
@usableFromInline
struct ResultAction<Input: Sendable>: Sendable {
  @usableFromInline typealias Body = @Sendable @isolated(any) (Input) -> Void

  @usableFromInline let isolated: Body
  /// The closure if it belongs to no actor, so that it can be called on the consumer's actor; otherwise
  /// `nil`.
  ///
  /// A call through `isolated` would leave that actor and return, which costs two hops for each element.
  @usableFromInline let plain: (@Sendable (Input) -> Void)?

  @usableFromInline
  init(_ body: @escaping Body) {
    isolated = body
    // An `@isolated(any)` function is called like any other, except that its caller first goes to the
    // function's actor; here the function has none. The language has no cast for an isolation that is read at
    // run time.
    plain = body.isolation == nil ? unsafeBitCast(body, to: (@Sendable (Input) -> Void).self) : nil
  }
}
