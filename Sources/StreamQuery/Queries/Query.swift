/// A key, the way to fetch its value, and options.
///
/// A query is a plain value: making one does nothing. Two queries with equal keys share one cache
/// entry, one request and one invalidation, wherever they were made.
///
/// ```swift
/// extension Query where Value == User {
///   static func user(_ id: User.ID, api: API = .live) -> Self {
///     Query("users", id) { try await api.user(id) }
///       .staleTime(.minutes(5)).gcTime(.hours(1)).retry(3)
///   }
/// }
///
/// for await result in client.stream(.user(42)) { show(result.data) }
/// ```
///
/// Every input of the fetch belongs in the key: page, filter, locale, account. If one is missing,
/// two server states share one entry. If two queries of one key have different fetches, callers of
/// both join a running fetch, and the next fetch uses that of the newest query: the last one that was
/// observed or began a fetch. A query whose caller joins a fetch, or gets cached data, does not count.
public struct Query<Value: Sendable>: Sendable, _FreeOfActors {
  /// The identity of the cached value.
  public let key: QueryKey<Value>

  @usableFromInline package private(set) var definition: QueryDefinition

  init(key: QueryKey<Value>, definition: QueryDefinition) {
    self.key = key
    self.definition = definition
  }

  /// Returns the query with a changed definition.
  ///
  /// A definition that nothing else refers to is changed in place, so that a chain of modifiers on a new
  /// query makes one definition. Any other definition is copied first, so that the entry or query that shares
  /// it keeps it unchanged.
  @inline(__always)
  consuming func changed(_ change: (QueryDefinition) -> Void) -> Self {
    let key = key
    var own = definition
    _ = consume self
    if !isKnownUniquelyReferenced(&own) { own = own.copy() }
    let changed = consume own
    change(changed)
    return Query(key: key, definition: changed)
  }

  // Fetches are `@concurrent`, like the work of mutations: a query that is written with any other
  // asynchronous closure cannot be the initial value of a property on the main actor, unless its module has
  // the upcoming feature `NonisolatedNonsendingByDefault`. Either way, fetches run in tasks of the client, on
  // its executor.

  // Keys of one part have initialisers of their own. If one initialiser took all parts as a pack, the pack
  // could be empty. For a fetch that returns another type than the query's, the compiler (6.3) would then
  // only say "failed to produce diagnostic".

  /// Creates a query from the only part of its key and a fetch.
  ///
  /// - Parameters:
  ///   - part: The part.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - fetch: Fetches the value. Its task is cancelled when nobody wants the value any longer.
  @inlinable
  public init<Part: Hashable & Sendable>(
    _ part: Part,
    fields: KeyRecord = [:],
    fetch: @escaping @Sendable @concurrent () async throws -> Value
  ) {
    self.init(key: .only(part, fields: fields), fetch: fetch)
  }

  /// Creates a query from the parts of its key and a fetch.
  ///
  /// - Parameters:
  ///   - first: The first part of the key.
  ///   - second: The second part.
  ///   - part: The further parts, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - fetch: Fetches the value. Its task is cancelled when nobody wants the value any longer.
  @inlinable
  public init<
    First: Hashable & Sendable,
    Second: Hashable & Sendable,
    each Part: Hashable & Sendable
  >(
    _ first: First,
    _ second: Second,
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    fetch: @escaping @Sendable @concurrent () async throws -> Value
  ) {
    self.init(key: .of(first, second, repeat each part, fields: fields), fetch: fetch)
  }

  /// Creates a query from the only part of its key and a fetch that gets its context.
  ///
  /// - Parameters:
  ///   - part: The part.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - fetch: Fetches the value. Its task is cancelled when nobody wants the value any longer.
  @inlinable
  public init<Part: Hashable & Sendable>(
    _ part: Part,
    fields: KeyRecord = [:],
    fetch: @escaping @Sendable @concurrent (FetchContext) async throws -> Value
  ) {
    self.init(key: .only(part, fields: fields), fetch: fetch)
  }

  /// Creates a query from the parts of its key and a fetch that gets its context.
  ///
  /// - Parameters:
  ///   - first: The first part of the key.
  ///   - second: The second part.
  ///   - part: The further parts, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - fetch: Fetches the value. Its task is cancelled when nobody wants the value any longer.
  @inlinable
  public init<
    First: Hashable & Sendable,
    Second: Hashable & Sendable,
    each Part: Hashable & Sendable
  >(
    _ first: First,
    _ second: Second,
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    fetch: @escaping @Sendable @concurrent (FetchContext) async throws -> Value
  ) {
    self.init(key: .of(first, second, repeat each part, fields: fields), fetch: fetch)
  }

  /// Creates a query whose key is a type: `Query(User.self) { … }`.
  ///
  /// - Parameters:
  ///   - subject: The type; types of the same name in other modules are different.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - fetch: Fetches the value. Its task is cancelled when nobody wants the value any longer.
  @inlinable
  public init<Subject>(
    _ subject: Subject.Type,
    fields: KeyRecord = [:],
    fetch: @escaping @Sendable @concurrent () async throws -> Value
  ) {
    self.init(key: QueryKey(subject, fields: fields), fetch: fetch)
  }

  /// Creates a query whose key starts with a type: `Query(User.self, 42) { … }`.
  ///
  /// - Parameters:
  ///   - subject: The type; types of the same name in other modules are different.
  ///   - first: The first part after the type.
  ///   - part: The further parts, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - fetch: Fetches the value. Its task is cancelled when nobody wants the value any longer.
  @inlinable
  public init<Subject, First: Hashable & Sendable, each Part: Hashable & Sendable>(
    _ subject: Subject.Type,
    _ first: First,
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    fetch: @escaping @Sendable @concurrent () async throws -> Value
  ) {
    self.init(key: QueryKey(subject, first, repeat each part, fields: fields), fetch: fetch)
  }

  /// Creates a query whose key is a type and whose fetch gets its context.
  ///
  /// - Parameters:
  ///   - subject: The type; types of the same name in other modules are different.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - fetch: Fetches the value. Its task is cancelled when nobody wants the value any longer.
  @inlinable
  public init<Subject>(
    _ subject: Subject.Type,
    fields: KeyRecord = [:],
    fetch: @escaping @Sendable @concurrent (FetchContext) async throws -> Value
  ) {
    self.init(key: QueryKey(subject, fields: fields), fetch: fetch)
  }

  /// Creates a query whose key starts with a type and whose fetch gets its context.
  ///
  /// - Parameters:
  ///   - subject: The type; types of the same name in other modules are different.
  ///   - first: The first part after the type.
  ///   - part: The further parts, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - fetch: Fetches the value. Its task is cancelled when nobody wants the value any longer.
  @inlinable
  public init<Subject, First: Hashable & Sendable, each Part: Hashable & Sendable>(
    _ subject: Subject.Type,
    _ first: First,
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    fetch: @escaping @Sendable @concurrent (FetchContext) async throws -> Value
  ) {
    self.init(key: QueryKey(subject, first, repeat each part, fields: fields), fetch: fetch)
  }

  /// Creates a query without a fetch of its own.
  ///
  /// A default fetch may serve the query. Without one, the query shows the data that is written to its key,
  /// and a refetch throws ``QueryError/missingFetch(key:)``.
  ///
  /// - Parameter key: The key.
  public init(key: QueryKey<Value>) {
    self.init(key: key, definition: QueryDefinition(of: Value.self))
  }

  /// Creates a query from a key and a fetch.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - fetch: Fetches the value.
  @inlinable
  public init(key: QueryKey<Value>, fetch: @escaping @Sendable @concurrent () async throws -> Value)
  {
    self.init(key: key, boxing: { _ in TypedBox(try await fetch()) })
  }

  /// Creates a query from a key and a fetch that gets its context.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - fetch: Fetches the value.
  @inlinable
  public init(
    key: QueryKey<Value>,
    fetch: @escaping @Sendable @concurrent (FetchContext) async throws -> Value
  ) {
    self.init(key: key, boxing: { TypedBox(try await fetch($0)) })
  }

  /// Creates a query whose fetch returns a box: the initialisers above, inlined where the type is known, make
  /// it.
  @usableFromInline
  package init(
    key: QueryKey<Value>,
    boxing fetch: @escaping @Sendable (FetchContext) async throws -> ValueBox
  ) {
    self.init(key: key, definition: QueryDefinition(of: Value.self, fetch: fetch))
  }

  /// Creates the query of a request: the request is the key, and its `fetch` is the fetch.
  ///
  /// - Parameter request: The request.
  public init<Request: QueryRequest>(_ request: Request) where Request.Value == Value {
    self.init(key: QueryKey(request)) { try await request.fetch($0) }
  }
}

/// A value that is a key and can fetch its own data.
///
/// ```swift
/// struct Search: QueryRequest, Codable {
///   var text: String, page = 1
///   func fetch(_ context: FetchContext) async throws -> [Repo] {
///     try await GitHub.search(text, page)
///   }
/// }
/// client.stream(Query(Search(text: "swift")))
/// ```
public protocol QueryRequest<Value>: Hashable, Sendable {
  /// The type of the value that the request fetches.
  associatedtype Value: Sendable

  /// Fetches the value.
  ///
  /// - Parameter context: The reason for the fetch, the number of the attempt, and the client.
  /// - Returns: The value.
  /// - Throws: Any error; the query's options say whether it is retried and how it is shown.
  func fetch(_ context: FetchContext) async throws -> Value
}

extension Query {
  /// Creates a query whose fetch gets each input that its key has, so that the key misses none.
  ///
  /// ```swift
  /// let books = Query("products", for: Category.books, 2) { category, page in
  ///   try await api.products(in: category, page: page)
  /// }
  /// ```
  ///
  /// This query has the key of `Query("products", Category.books, 2)`. The key would miss only an input that
  /// the fetch captures.
  ///
  /// - Parameters:
  ///   - name: The first part of the key.
  ///   - first: The first input, the second part of the key.
  ///   - input: The further inputs, in order.
  ///   - fetch: Fetches the value for the inputs. Its task is cancelled when nobody wants the value any
  ///     longer.
  @inlinable
  public init<
    Name: Hashable & Sendable,
    First: Hashable & Sendable,
    each Input: Hashable & Sendable
  >(
    _ name: Name,
    for first: First,
    _ input: repeat each Input,
    fetch: @escaping @Sendable @concurrent (First, repeat each Input) async throws -> Value
  ) {
    self.init(key: .of(name, first, repeat each input, fields: [:])) {
      try await fetch(first, repeat each input)
    }
  }

  /// Creates a query whose fetch gets its context, and each input that its key has.
  ///
  /// - Parameters:
  ///   - name: The first part of the key.
  ///   - first: The first input, the second part of the key.
  ///   - input: The further inputs, in order.
  ///   - fetch: Fetches the value for the inputs, which come after the context. Its task is cancelled
  ///     when nobody wants the value any longer.
  @inlinable
  public init<
    Name: Hashable & Sendable,
    First: Hashable & Sendable,
    each Input: Hashable & Sendable
  >(
    _ name: Name,
    for first: First,
    _ input: repeat each Input,
    fetch:
      @escaping @Sendable @concurrent (FetchContext, First, repeat each Input) async throws
      -> Value
  ) {
    self.init(key: .of(name, first, repeat each input, fields: [:])) { context in
      try await fetch(context, first, repeat each input)
    }
  }
}
