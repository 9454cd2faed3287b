/// What an observer handle was last told to observe.
///
/// Without the type of the value, which the handle knows: the type of a lock over a generic value
/// would be looked up at each access.
struct AskedQuery {
  private var key: AnyQueryKey
  private var definition: QueryDefinition
  /// Out of line: options are large, and most handles have none.
  private var boxedOptions: BoxedObserverOptions?

  init<Value>(_ query: Query<Value>, _ options: ObserverOptions?) {
    key = query.key.erased
    definition = query.definition
    // Only compared with `nil`: unwrapping would copy all options.
    boxedOptions = options == nil ? nil : BoxedObserverOptions.make(options)
  }

  var options: ObserverOptions? { boxedOptions?.value }

  /// The query.
  ///
  /// - Parameter valueType: The type that the handle has.
  /// - Returns: The query, with its type.
  func query<Value>(of valueType: Value.Type) -> Query<Value> {
    Query(key: QueryKey(erased: key), definition: definition)
  }

  /// What is asked for after an update.
  ///
  /// - Parameters:
  ///   - query: What to observe; `nil` keeps it.
  ///   - options: The options; `nil` keeps them.
  /// - Returns: What is asked for then.
  func updated<Value>(_ query: Query<Value>?, _ options: ObserverOptions?) -> AskedQuery {
    var new = self
    if let query {
      new.key = query.key.erased
      new.definition = query.definition
    }
    if let options { new.boxedOptions = BoxedObserverOptions(options) }
    return new
  }
}

extension AskedQuery {
  /// Whether two handles ask for the very same.
  static func === (one: Self, other: Self) -> Bool {
    one.definition === other.definition && one.boxedOptions === other.boxedOptions
      && one.key.storage === other.key.storage
  }
}

/// Options of an observer, out of line.
private final class BoxedObserverOptions: Sendable {
  let value: ObserverOptions

  init(_ value: ObserverOptions) { self.value = value }

  @inline(never)
  static func make(_ options: ObserverOptions?) -> BoxedObserverOptions? {
    options.map(BoxedObserverOptions.init)
  }
}
