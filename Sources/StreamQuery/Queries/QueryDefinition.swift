/// A query without its key and value type, shared by reference.
///
/// The definition changes only while one query, which is being made, is its only owner.
///
/// An entry keeps the newest definition that it was given, so that an automatic refetch (a
/// reconnect, an interval, an invalidation) knows how to fetch.
@usableFromInline
// Unchecked: it is changed only by `Query.changed(_:)`, and only while a single query refers to it.
package final class QueryDefinition: @unchecked Sendable {
  typealias Fetch = @Sendable (FetchContext) async throws -> ValueBox

  let fetch: Fetch?
  /// The type of the values; stored as a type, because a closure for each use of it would be an
  /// object.
  package let valueType: any Sendable.Type
  /// The parts that most definitions do not have; see ``DefinitionExtras``.
  // Only a single owner makes changes, so access needs no check at run time, which each fetch would pay for.
  @exclusivity(unchecked) private var extras: DefinitionExtras?
  /// The options are stored in place, because an object of their own would be a second allocation for each
  /// modifier, and they come last, because they are large.
  // Only a single owner makes changes, so access needs no check at run time, which each fetch would pay for.
  @exclusivity(unchecked) private(set) var options: QueryOptions

  var initialData: DefinitionExtras.InitialDataSource? { extras?.values.initialData }
  var placeholder: ValueBox? { extras?.values.placeholder }
  /// Makes the placeholder of an observer; the observer's own definition then has the placeholder.
  var makePlaceholder: DefinitionExtras.PlaceholderMaker? { extras?.values.makePlaceholder }
  var makesPlaceholder: Bool { extras?.values.makePlaceholder != nil }
  /// The origin of the placeholder, in the definition that only one observer uses; `nil` in all
  /// others.
  var madePlaceholder: DefinitionExtras.MadePlaceholder? { extras?.values.madePlaceholder }
  /// Joins the cached value with a fetched one, for structural reuse.
  var merge: DefinitionExtras.Merge? { extras?.values.merge }
  /// The handler of a fetch that has ended.
  var onSettled: DefinitionExtras.SettledHandler? { extras?.values.onSettled }
  /// Streams whose elements refetch; made for each subscription.
  var triggers: [DefinitionExtras.TriggerSource] { extras?.values.triggers ?? [] }
  /// The facts that a feature built on queries, such as pages, has about the value.
  var feature: QueryFeature? { extras?.values.feature }
  /// Makes a definition for the feature's other way to fetch, such as only the first page.
  var variant: (@Sendable () -> QueryDefinition)? { extras?.values.variant }
  /// Whether a refetch hides the present data until new data arrives.
  var resetsData: Bool { extras?.values.resetsData ?? false }
  /// The way in which the answer of a fetch arrives.
  var delivery: Delivery { extras?.values.delivery ?? .whole }
  /// How a store keeps the data; `nil` leaves it to the client.
  var persistence: (any PersistencePolicy)? { extras?.values.persistence }
  /// Whether the definition says neither how the data is fetched nor how it is kept, like that of a
  /// key alone, so that another query of the key may say it.
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

  /// Creates the definition of a key without further facts.
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - options: The definition's options.
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

  /// Creates a definition without options; the caller then sets the options in place.
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

  /// Whether the definition has a fetch of its own.
  package var hasFetch: Bool { fetch != nil }

  var valueTypeName: String { String(reflecting: valueType) }

  /// Boxes a value of unknown type; `nil` if it is of another type than the definition's.
  package func box(_ value: Any) -> ValueBox? {
    func boxed<Value: Sendable>(as type: Value.Type) -> ValueBox? {
      (value as? Value).map(TypedBox.init)
    }
    return boxed(as: valueType)
  }

  /// A copy with the options and extras of another definition, except for the way to fetch.
  func takingOptions(optionsOf definition: QueryDefinition) -> QueryDefinition {
    var values = definition.extras?.values ?? DefinitionExtras.Values()
    values.feature = feature
    values.variant = variant
    values.resetsData = resetsData
    values.delivery = delivery
    return with(definition.options, DefinitionExtras(values))
  }

  /// A copy that may be changed.
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

  /// A copy with another way to fetch, and with another ``variant``.
  func with(fetch: @escaping Fetch, other: (@Sendable () -> QueryDefinition)?) -> QueryDefinition {
    var values = extras?.values
    values?.variant = other
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

/// The parts of a definition that most queries do not have, in an object of their own.
///
/// Each modifier makes a definition and each entry keeps one: in both, these parts take one word.
// Unchecked: it is changed only by a definition that alone refers to it, see `QueryDefinition`.
final class DefinitionExtras: @unchecked Sendable {
  typealias Merge = @Sendable (_ old: ValueBox, _ new: ValueBox) -> ValueBox

  typealias PlaceholderMaker =
    @Sendable (_ previous: ValueBox?, _ key: AnyQueryKey?) -> ValueBox?
  typealias SettledHandler = @Sendable (Result<ValueBox, any Error>, FetchContext) -> Void

  /// The source of an observer's placeholder.
  struct MadePlaceholder: Sendable {
    /// The definition without the placeholder, for all other users of the entry.
    let plain: QueryDefinition
    /// The data that the observer last saw under another key, and this other key.
    let previous: (box: ValueBox, key: AnyQueryKey)?
  }

  struct TriggerSource: Sendable {
    let make: @Sendable () -> any AsyncSequence
    let pacing: RefetchPacing
  }

  struct Values: Sendable {
    var initialData: InitialDataSource?
    var placeholder: ValueBox?
    /// Makes the placeholder of an observer.
    var makePlaceholder: PlaceholderMaker?
    /// The source of `placeholder`: set when `makePlaceholder` has made it, in a copy of the definition
    /// that only one observer or one result uses; `nil` in the query's own definition.
    var madePlaceholder: MadePlaceholder?
    /// Joins the cached value with a fetched one, for structural reuse.
    var merge: Merge?
    /// The handler of a fetch that has ended, with a value or an error.
    var onSettled: SettledHandler?
    /// Streams whose elements refetch; made for each subscription.
    var triggers: [TriggerSource] = []
    /// The facts that a feature built on queries, such as pages, has about the value.
    var feature: QueryFeature?
    /// Makes a definition for the feature's other way to fetch, such as only the first page.
    ///
    /// This is not part of the feature: results keep the feature, and would also keep the user's fetch.
    var variant: (@Sendable () -> QueryDefinition)?
    /// Whether a refetch hides the present data until new data arrives.
    var resetsData = false
    /// The way in which the answer of a fetch arrives.
    var delivery = Delivery.whole
    /// How a store keeps the data; `nil` leaves it to the client.
    var persistence: (any PersistencePolicy)?
  }

  /// The source of initial data; a class, so that an entry can keep it without the query, see
  /// ``StoredInitialData``.
  final class InitialDataSource: Sendable {
    /// Finds saved data of the query; `nil` if the query's data is not saved.
    let kept: (@Sendable () -> KeptData?)?
    /// Finds the query's own initial data.
    let own: (@Sendable () -> KeptData?)?

    init(
      kept: (@Sendable () -> KeptData?)? = nil,
      own: (@Sendable () -> KeptData?)?
    ) {
      self.kept = kept
      self.own = own
    }

    /// Returns saved data if there is any, and otherwise the query's initial data.
    ///
    /// This is called at each use of an entry that has no data, and again when a store has answered.
    func value() -> KeptData? { kept?() ?? own?() }
  }

  // Access needs no check at run time, because only a single owner makes changes.
  @exclusivity(unchecked) private(set) var values: Values

  init(_ values: Values) {
    self.values = values
  }

  /// Changes the parts in place.
  func change(_ change: (inout Values) -> Void) { change(&values) }
}

/// The options and facts that a write takes from the query that it names: all but the way to fetch.
struct WriteTerms {
  private let written: QueryDefinition?

  /// Takes the options and facts from a query.
  ///
  /// - Parameter definition: The query under which the write is made; `nil` if only its key is
  ///   known.
  init(_ definition: QueryDefinition?) {
    written = definition
  }

  /// Whether only the key is known, so that another query may say how the data is fetched or kept.
  var isOfKeyAlone: Bool { written?.isOfKeyAlone ?? true }

  /// How a store keeps the data; `nil` if the query does not say.
  var persistence: (any PersistencePolicy)? { written?.persistence }

  /// How long the data is kept without observers; `nil` if the query does not say.
  var gcTime: TimeSpan? {
    @inline(__always) get { written?.options.gcTime.map(TimeSpan.init) }
  }

  var hasMeta: Bool {
    @inline(__always) get { written?.options.meta != nil }
  }

  /// Whether the write has no options or facts for the entry to keep.
  var isEmpty: Bool {
    guard let written else { return true }
    return gcTime == nil && !hasMeta && written.persistence == nil
  }

  /// The query of the write; the definition of a bare key if the call names none.
  func query(of type: any Sendable.Type) -> QueryDefinition {
    written ?? QueryDefinition(of: type)
  }

  /// The definition of an entry that the write makes.
  func definition(of type: any Sendable.Type) -> QueryDefinition {
    guard let written, !isEmpty else { return QueryDefinition(of: type) }
    var options = QueryOptions.default
    options.gcTime = written.options.gcTime
    options.meta = written.options.meta
    let definition = QueryDefinition(of: type, options: options)
    guard let policy = written.persistence else { return definition }
    return definition.with { $0.persistence = policy }
  }
}

/// Data that was there before the entry: initial data of a query, or data of a store.
package struct KeptData {
  package var box: ValueBox
  /// The time when the data was current, in seconds since the reference date; `nil` means now.
  package var updatedAt: Double?
  /// Whether the data was invalidated before it was saved.
  var isInvalidated: Bool
  /// Whether the data is a part of a streamed value.
  var isPart: Bool

  package init(
    box: ValueBox,
    updatedAt: Double? = nil,
    isInvalidated: Bool = false,
    isPart: Bool = false
  ) {
    (self.box, self.updatedAt) = (box, updatedAt)
    (self.isInvalidated, self.isPart) = (isInvalidated, isPart)
  }
}

/// A rule for how a store keeps entries' data; only the feature with the stores understands it.
package protocol PersistencePolicy: AnyObject, Sendable {
  /// Whether no store keeps the data, even if a weaker policy has a store.
  var isOff: Bool { get }
}

extension Query {
  /// Keeps the data of the query in a store, by a policy.
  package consuming func persisted(by policy: any PersistencePolicy) -> Self {
    changed { $0.changeExtras { $0.persistence = policy } }
  }
}
