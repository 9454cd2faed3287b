/// A query without its key and value type, shared by reference.
///
/// A definition changes only while it has a single owner: a query to which modifiers are being applied.
///
/// An entry keeps the newest definition that it was given, so that an automatic refetch (a
/// reconnect, an interval, an invalidation) knows how to fetch.
@usableFromInline
// Unchecked: it is changed only by `Query.changed(_:)`, and only while a single query refers to it.
package final class QueryDefinition: @unchecked Sendable {
  typealias Fetch = @Sendable (FetchContext) async throws -> ValueBox

  let fetch: Fetch?
  /// The type of the values.
  ///
  /// A stored closure for each use of the type would cost an allocation.
  package let valueType: any Sendable.Type
  /// The parts that most definitions do not have; see ``DefinitionExtras``.
  // Only a single owner makes changes, so accesses cannot overlap: the check at run time would only slow down
  // each fetch.
  @exclusivity(unchecked) private var extras: DefinitionExtras?
  /// The options. They are stored in place, because an object of their own would be a second allocation for
  /// each modifier. They are the last property, because they are large.
  // Only a single owner makes changes, so accesses cannot overlap: the check at run time would only slow down
  // each fetch.
  @exclusivity(unchecked) private(set) var options: QueryOptions

  var initialData: DefinitionExtras.InitialDataSource? { extras?.values.initialData }
  var placeholder: ValueBox? { extras?.values.placeholder }
  /// Makes an observer's placeholder, which is then stored in a copy of the definition for that observer.
  var makePlaceholder: DefinitionExtras.PlaceholderMaker? { extras?.values.makePlaceholder }
  var makesPlaceholder: Bool { extras?.values.makePlaceholder != nil }
  /// How ``placeholder`` was made, in the copy of a definition for one observer; `nil` in all other
  /// definitions.
  var madePlaceholder: DefinitionExtras.MadePlaceholder? { extras?.values.madePlaceholder }
  /// Merges a fetched value with the cached one, so that unchanged parts are kept.
  var merge: DefinitionExtras.Merge? { extras?.values.merge }
  /// Called when a fetch has ended with a value or an error.
  var onSettled: DefinitionExtras.SettledHandler? { extras?.values.onSettled }
  /// Makers of sequences whose elements refetch the query; each subscription makes its own sequences.
  var triggers: [DefinitionExtras.TriggerSource] { extras?.values.triggers ?? [] }
  /// The facts that a feature built on queries, such as pages, has about the value.
  var feature: QueryFeature? { extras?.values.feature }
  /// Makes a definition for the feature's other way to fetch, such as only the first page.
  var variant: (@Sendable () -> QueryDefinition)? { extras?.values.variant }
  /// Whether a refetch hides the present data until new data arrives.
  var resetsData: Bool { extras?.values.resetsData ?? false }
  /// How the answer of a fetch arrives: whole, in parts, or without an end.
  var delivery: Delivery { extras?.values.delivery ?? .whole }
  /// How a store keeps the data; `nil` leaves it to the client.
  var persistence: (any PersistencePolicy)? { extras?.values.persistence }
  /// Whether the definition has neither a fetch nor a persistence policy, as if only a key was given.
  ///
  /// Then another query of the key may provide them.
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

  /// Creates a definition with the given options and extras.
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

  /// A copy with the options and extras of another definition, but with the way to fetch of this one.
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
/// Each entry keeps a definition; if the query has none of these parts, they take one word in it.
// Unchecked: it is changed only while a single definition refers to it, see `QueryDefinition`.
final class DefinitionExtras: @unchecked Sendable {
  typealias Merge = @Sendable (_ old: ValueBox, _ new: ValueBox) -> ValueBox

  typealias PlaceholderMaker =
    @Sendable (_ previous: ValueBox?, _ key: AnyQueryKey?) -> ValueBox?
  typealias SettledHandler = @Sendable (Result<ValueBox, any Error>, FetchContext) -> Void

  /// The source of an observer's placeholder.
  struct MadePlaceholder: Sendable {
    /// The definition without the placeholder, for all other users of the entry.
    let plain: QueryDefinition
    /// The data that the observer last saw before its key changed, with the earlier key; `nil` if it saw
    /// none.
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
    /// Merges a fetched value with the cached one, so that unchanged parts are kept.
    var merge: Merge?
    /// Called when a fetch has ended with a value or an error.
    var onSettled: SettledHandler?
    /// Makers of sequences whose elements refetch the query; each subscription makes its own sequences.
    var triggers: [TriggerSource] = []
    /// The facts that a feature built on queries, such as pages, has about the value.
    var feature: QueryFeature?
    /// Makes a definition for the feature's other way to fetch, such as only the first page.
    ///
    /// This is not part of the feature: results retain the feature, and would then retain the user's fetch,
    /// too.
    var variant: (@Sendable () -> QueryDefinition)?
    /// Whether a refetch hides the present data until new data arrives.
    var resetsData = false
    /// How the answer of a fetch arrives: whole, in parts, or without an end.
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

  // Only a single owner makes changes, so accesses cannot overlap and need no check at run time.
  @exclusivity(unchecked) private(set) var values: Values

  init(_ values: Values) {
    self.values = values
  }

  /// Changes the parts in place.
  func change(_ change: (inout Values) -> Void) { change(&values) }
}

/// The options and metadata that a write, such as `setData`, takes from its query; a fetch is not among them.
struct WriteTerms {
  private let written: QueryDefinition?

  /// Takes the options and metadata from a query.
  ///
  /// - Parameter definition: The query under which the write is made; `nil` if only its key is
  ///   known.
  init(_ definition: QueryDefinition?) {
    written = definition
  }

  /// Whether the write has neither a fetch nor a persistence policy.
  ///
  /// Then another query of the key may provide them.
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

  /// The definition of the query to which the call wrote; one without a fetch if the call named only a key.
  func query(of type: any Sendable.Type) -> QueryDefinition {
    written ?? QueryDefinition(of: type)
  }

  /// The definition of an entry that a write of data creates before any query uses it.
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

/// Data for an entry that has none: initial data of its query, or data of a store.
package struct KeptData {
  package var box: ValueBox
  /// The time when the data was current, in seconds since the reference date; `nil` means now.
  package var updatedAt: Double?
  /// Whether the data was invalidated before it was saved.
  var isInvalidated: Bool
  /// Whether the data is only a part of a streamed value, because its stream had not ended.
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

/// A rule for how a store keeps entries' data; only StreamQueryPersistence knows what it says.
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
