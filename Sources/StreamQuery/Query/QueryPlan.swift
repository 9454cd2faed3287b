/// What a query says apart from its key, without its value type: made once, shared by reference.
///
/// An entry keeps the newest plan that it was given, so that a refetch which nobody asks for in
/// person (a reconnect, an interval, an invalidation) knows how to fetch.
final class QueryPlan: Sendable {
  typealias Fetch = @Sendable (FetchContext) async throws -> ValueBox

  let options: QueryOptions
  let fetch: Fetch?
  let initialData: InitialData?
  let placeholder: ValueBox?
  /// Joins the cached value with a fetched one, for structural reuse.
  let merge: (@Sendable (_ old: ValueBox, _ new: ValueBox) -> ValueBox)?
  /// Streams of which each element refetches; made anew for each subscription.
  let triggers: [@Sendable () -> any AsyncSequence]
  /// The type of the values: a type, where a closure for each question about it would be an object.
  let valueType: any Sendable.Type
  /// How pages follow each other, if the value is pages.
  let paging: PagingPlan?
  /// Whether a refetch takes the data out of sight.
  let resetsData: Bool

  struct InitialData: Sendable {
    /// Asked once per entry that has no data.
    var value: @Sendable () -> ValueBox?
    /// Seconds since the reference date; `nil` is now.
    var updatedAt: Double?
  }

  init(
    options: QueryOptions,
    fetch: Fetch?,
    initialData: InitialData? = nil,
    placeholder: ValueBox? = nil,
    merge: (@Sendable (ValueBox, ValueBox) -> ValueBox)? = nil,
    triggers: [@Sendable () -> any AsyncSequence] = [],
    valueType: any Sendable.Type,
    paging: PagingPlan? = nil,
    resetsData: Bool = false
  ) {
    self.options = options
    self.fetch = fetch
    self.initialData = initialData
    self.placeholder = placeholder
    self.merge = merge
    self.triggers = triggers
    self.valueType = valueType
    self.paging = paging
    self.resetsData = resetsData
  }

  /// The plan of a key that nothing else is known of.
  convenience init<Value: Sendable>(
    of type: Value.Type,
    fetch: Fetch? = nil,
    paging: PagingPlan? = nil,
    resetsData: Bool = false
  ) {
    self.init(
      options: .default,
      fetch: fetch,
      valueType: type,
      paging: paging,
      resetsData: resetsData
    )
  }

  /// A copy with other options.
  init(_ other: QueryPlan, changing change: (inout QueryOptions) -> Void) {
    var options = other.options
    change(&options)
    self.options = options
    fetch = other.fetch
    initialData = other.initialData
    placeholder = other.placeholder
    merge = other.merge
    triggers = other.triggers
    valueType = other.valueType
    paging = other.paging
    resetsData = other.resetsData
  }

  var valueTypeName: String { String(reflecting: valueType) }

  /// Boxes a value of unknown type; `nil` if it is of another type than the plan's.
  func box(_ value: Any) -> ValueBox? {
    func boxed<Value: Sendable>(as type: Value.Type) -> ValueBox? {
      (value as? Value).map(TypedBox.init)
    }
    return boxed(as: valueType)
  }

  /// A copy with the options and extras of another plan.
  func with(options: QueryOptions, like plan: QueryPlan) -> QueryPlan {
    QueryPlan(
      options: options,
      fetch: fetch,
      initialData: plan.initialData,
      placeholder: plan.placeholder,
      merge: plan.merge,
      triggers: plan.triggers,
      valueType: valueType,
      paging: paging,
      resetsData: resetsData
    )
  }

  /// A copy with some parts changed.
  func with(
    options: QueryOptions? = nil,
    initialData: InitialData? = nil,
    placeholder: ValueBox? = nil,
    merge: (@Sendable (ValueBox, ValueBox) -> ValueBox)? = nil,
    trigger: (@Sendable () -> any AsyncSequence)? = nil
  ) -> QueryPlan {
    QueryPlan(
      options: options ?? self.options,
      fetch: fetch,
      initialData: initialData ?? self.initialData,
      placeholder: placeholder ?? self.placeholder,
      merge: merge ?? self.merge,
      triggers: trigger.map { triggers + [$0] } ?? triggers,
      valueType: valueType,
      paging: paging,
      resetsData: resetsData
    )
  }
}
