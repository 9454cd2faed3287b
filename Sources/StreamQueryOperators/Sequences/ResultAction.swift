/// A user's closure, which runs on the actor that it belongs to.
@usableFromInline
struct ResultAction<Input: Sendable>: Sendable {
  @usableFromInline typealias Body = @Sendable @isolated(any) (Input) -> Void

  @usableFromInline let isolated: Body
  /// The same, if it belongs to no actor: it is called where the consumer is, since a call through
  /// `isolated` would leave the consumer's actor for it, at two hops an element.
  @usableFromInline let plain: (@Sendable (Input) -> Void)?

  @usableFromInline
  init(_ body: @escaping Body) {
    isolated = body
    // A function with any isolation is called like one without: it is the caller that goes to the actor
    // first, which here is none. The language has no cast for what was asked at run time.
    plain = body.isolation == nil ? unsafeBitCast(body, to: (@Sendable (Input) -> Void).self) : nil
  }
}
