/// A query without its key and value type, shared by reference.
///
/// It changes only until somebody else than the query that is being made has it.
/// An entry keeps the newest definition that it was given, so that an automatic refetch (a
/// reconnect, an interval, an invalidation) knows how to fetch.
@usableFromInline
// Unchecked: it is changed only by `Query.changed(_:)`, and only while a single query refers to it.
package final class QueryDefinition: @unchecked Sendable {
  typealias Fetch = @Sendable (FetchContext) async throws -> ValueBox

  let fetch: Fetch?
  /// The type of the values; stored as a type, because a closure for each question about it would
  /// be an object.
  package let valueType: any Sendable.Type
  /// The parts that most definitions do not have; see ``DefinitionExtras``.
  // Exclusive by the rule above, and read by each fetch.
  @exclusivity(unchecked) private var extras: DefinitionExtras?
  /// Last, and in place: they are large, but an object of their own would cost each modifier one
  /// more allocation than its definition.
  // Exclusive by the rule above, and read by each fetch.
  @exclusivity(unchecked) private(set) var options: QueryOptions

  var initialData: DefinitionExtras.InitialDataSource? { extras?.values.initialData }
  var placeholder: ValueBox? { extras?.values.placeholder }
  /// Joins the cached value with a fetched one, for structural reuse.
  var merge: DefinitionExtras.Merge? { extras?.values.merge }
  /// Streams whose elements refetch; made for each subscription.
  var triggers: [DefinitionExtras.TriggerSource] { extras?.values.triggers ?? [] }
  /// What a feature built on queries, such as pages, knows of the value.
  var feature: QueryFeature? { extras?.values.feature }
  /// Makes a definition that fetches in the other way that the feature offers.
  var variant: (@Sendable () -> QueryDefinition)? { extras?.values.variant }
  /// Whether a refetch hides the data.
  var resetsData: Bool { extras?.values.resetsData ?? false }
  /// How the answer of a fetch arrives.
  var delivery: Delivery { extras?.values.delivery ?? .whole }
  /// Where the data is kept beyond the cache; `nil` leaves it to the client.
  var persistence: (any PersistencePolicy)? { extras?.values.persistence }
  /// Whether it says nothing of how the data is fetched or kept, as that of a key alone: another
  /// query of the key may say it.
  package var isOfKeyAlone: Bool { fetch == nil && persistence == nil }

  private init(
    options: QueryOptions,
    fetch: Fetch?,
    valueType: any Sendable.Type,
    extras: DefinitionExtras?
  ) {
    self.options = options
    self.fetch = fetch
    self.valueType = valueType
    self.extras = extras
  }

  /// Creates the definition of a key about which nothing else is known.
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - options: The options that it has from the beginning.
  ///   - fetch: Fetches a value.
  ///   - extras: The parts that most definitions do not have.
  convenience init<Value: Sendable>(
    of type: Value.Type,
    options: QueryOptions,
    fetch: Fetch? = nil,
    extras: DefinitionExtras.Values? = nil
  ) {
    self.init(
      options: options,
      fetch: fetch,
      valueType: type,
      extras: extras.map(DefinitionExtras.init)
    )
  }

  /// The same without options: they are made in place.
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - fetch: Fetches a value.
  init<Value: Sendable>(of type: Value.Type, fetch: Fetch? = nil) {
    self.fetch = fetch
    valueType = type
    extras = nil
    options = QueryOptions(unset: ())
  }

  /// Whether it has a fetch of its own.
  package var hasFetch: Bool { fetch != nil }

  var valueTypeName: String { String(reflecting: valueType) }

  /// Boxes a value of unknown type; `nil` if it is of another type than the definition's.
  package func box(_ value: Any) -> ValueBox? {
    func boxed<Value: Sendable>(as type: Value.Type) -> ValueBox? {
      (value as? Value).map(TypedBox.init)
    }
    return boxed(as: valueType)
  }

  /// A copy with the options and extras of another definition, except those about how to fetch.
  func with(optionsOf definition: QueryDefinition) -> QueryDefinition {
    var values = definition.extras?.values ?? DefinitionExtras.Values()
    values.feature = feature
    values.variant = variant
    values.resetsData = resetsData
    values.delivery = delivery
    return with(definition.options, DefinitionExtras(values))
  }

  /// A copy, to be changed.
  @inline(never)
  func copy() -> QueryDefinition { with(options, extras) }

  /// Changes the options in place; see ``Query/changed(_:)``.
  @inline(__always)
  func changeOptions(_ change: (inout QueryOptions) -> Void) { change(&options) }

  /// Changes the extras in place; see ``Query/changed(_:)``.
  func changeExtras(_ change: (inout DefinitionExtras.Values) -> Void) {
    if isKnownUniquelyReferenced(&extras), let extras { return extras.change(change) }
    var values = extras?.values ?? DefinitionExtras.Values()
    change(&values)
    extras = DefinitionExtras(values)
  }

  /// A copy with other options.
  func with(options: QueryOptions) -> QueryDefinition { with(options, extras) }

  /// A copy with other extras.
  func with(_ change: (inout DefinitionExtras.Values) -> Void) -> QueryDefinition {
    let copy = copy()
    copy.changeExtras(change)
    return copy
  }

  /// A copy with another way to fetch.
  ///
  /// It has no other way that a feature offers: that would not be the one.
  func with(fetch: @escaping Fetch) -> QueryDefinition {
    var values = extras?.values
    values?.variant = nil
    return QueryDefinition(
      options: options,
      fetch: fetch,
      valueType: valueType,
      extras: values.map(DefinitionExtras.init)
    )
  }

  private func with(_ options: QueryOptions, _ extras: DefinitionExtras?) -> QueryDefinition {
    QueryDefinition(options: options, fetch: fetch, valueType: valueType, extras: extras)
  }
}
