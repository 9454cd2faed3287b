// Easy mistakes that would compile and mean something else. Here the compiler refuses them or warns of them,
// and says how to write the code correctly.

extension Mutation {
  /// Creates a mutation whose key has the elements of an array as its parts.
  ///
  /// - Parameters:
  ///   - parts: The parts.
  ///   - perform: Makes the change.
  @_documentation(visibility: internal)
  @available(
    *,
    deprecated,
    message: "write the parts without brackets: Mutation(\"save\", id) { … }"
  )
  public init<Element: Hashable & Sendable>(
    _ parts: [Element],
    perform: @escaping @Sendable @concurrent (Input) async throws -> Output
  ) {
    self.init(key: AnyQueryKey(ofParts: parts), perform: perform)
  }

  /// Creates a mutation whose key has the elements of an array as its parts.
  ///
  /// - Parameters:
  ///   - parts: The parts.
  ///   - perform: Makes the change.
  @_documentation(visibility: internal)
  @available(
    *,
    deprecated,
    message: "write the parts without brackets: Mutation(\"save\", id) { … }"
  )
  public init<Element: Hashable & Sendable>(
    _ parts: [Element],
    perform: @escaping @Sendable @concurrent (Input, MutationContext) async throws -> Output
  ) {
    self.init(key: AnyQueryKey(ofParts: parts), perform: perform)
  }

  /// Creates nothing: parts of several types are written without brackets.
  ///
  /// - Parameters:
  ///   - parts: The parts.
  ///   - perform: Makes the change.
  @_documentation(visibility: internal)
  @available(
    *,
    unavailable,
    message: "write the parts without brackets: Mutation(\"save\", id) { … }"
  )
  public init(
    _ parts: [(any Hashable & Sendable)?],
    perform: @escaping @Sendable @concurrent (Input) async throws -> Output
  ) {
    self.init(key: AnyQueryKey(ofMixed: parts), perform: perform)
  }

  /// Creates nothing: parts of several types are written without brackets.
  ///
  /// - Parameters:
  ///   - parts: The parts.
  ///   - perform: Makes the change.
  @_documentation(visibility: internal)
  @available(
    *,
    unavailable,
    message: "write the parts without brackets: Mutation(\"save\", id) { … }"
  )
  public init(
    _ parts: [(any Hashable & Sendable)?],
    perform: @escaping @Sendable @concurrent (Input, MutationContext) async throws -> Output
  ) {
    self.init(key: AnyQueryKey(ofMixed: parts), perform: perform)
  }
}
