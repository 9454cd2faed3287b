extension Query {
  /// A query over an API with a completion handler.
  ///
  /// This is a factory rather than one more initialiser, so that the compiler diagnoses a wrong
  /// closure elsewhere correctly.
  ///
  /// ```swift
  /// let profile = Query<Profile>.callback("profile") { completion in
  ///   api.load { completion($0) }
  /// }
  /// ```
  ///
  /// The completion takes a `Result` of any failure type, or a value and an error of which one is
  /// `nil`. The first of several calls counts; work that drops the completion without a call fails
  /// with ``QueryError/completionNeverCalled(key:)`` instead of hanging.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - start: Starts the work, which must call the completion exactly once. Cancelling the fetch
  ///     ends the wait at once; the work itself continues, unless ``FetchCompletion/onCancel(_:)``
  ///     gives it up.
  /// - Returns: The query.
  public static func callback<each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    start: @escaping @Sendable (FetchCompletion<Value>) -> Void
  ) -> Self {
    callback(key: QueryKey(repeat each part, fields: fields), start: start)
  }

  /// A query whose key starts with a type, over an API with a completion handler.
  ///
  /// - Parameters:
  ///   - subject: The type; types of the same name in other modules are different.
  ///   - part: The further parts of the key.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - start: Starts the work, which must call the completion exactly once.
  /// - Returns: The query.
  public static func callback<Subject, each Part: Hashable & Sendable>(
    _ subject: Subject.Type,
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    start: @escaping @Sendable (FetchCompletion<Value>) -> Void
  ) -> Self {
    callback(key: QueryKey(subject, repeat each part, fields: fields), start: start)
  }

  /// A query over a function, passed by name, that takes a handler of results.
  ///
  /// ```swift
  /// let profile = Query<Profile>.callback("profile", start: api.load)
  /// ```
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - start: Starts the work, which must call its handler exactly once.
  /// - Returns: The query.
  @_disfavoredOverload
  public static func callback<each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    start: @escaping @Sendable (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
  ) -> Self {
    callback(key: QueryKey(repeat each part, fields: fields)) { completion in
      start { completion($0) }
    }
  }

  /// A query over a function, passed by name, that takes a handler of a value and an error.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - start: Starts the work, which must call its handler exactly once; an error wins over a
  ///     value; without either, the fetch fails with ``QueryError/completionWithoutResult(key:)``.
  /// - Returns: The query.
  @_disfavoredOverload
  public static func callback<each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    start: @escaping @Sendable (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
  ) -> Self {
    callback(key: QueryKey(repeat each part, fields: fields)) { completion in
      start { completion($0, $1) }
    }
  }

  private static func callback(
    key: QueryKey<Value>,
    start: @escaping @Sendable (FetchCompletion<Value>) -> Void
  ) -> Self {
    Query(key: key) { context in
      try await CompletionOnce.run(
        key: context.key.description,
        // Without the client: a retained completion must not keep the client alive.
        report: context.client.configuration.onMisuse,
        start: start
      )
    }
  }
}
