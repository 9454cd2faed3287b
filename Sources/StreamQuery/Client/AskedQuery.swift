/// What an observer handle was last told to observe.
///
/// Without the type of the value, which the handle knows: the type of a lock over a generic value
/// would be looked up at each access.
struct AskedQuery {
  private var key: AnyQueryKey
  private var definition: QueryDefinition
  /// Out of line: options are large, and most handles have none.
  private var boxedOptions: BoxedObserverOptions?
  /// The number of the update that asked for it.
  private(set) var serial = 0

  init<Value>(_ query: Query<Value>, _ options: ObserverOptions?) {
    key = query.key.erased
    definition = query.definition
    boxedOptions = options.map(BoxedObserverOptions.init)
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
  /// - Returns: What is asked for, with the next number.
  func updated<Value>(_ query: Query<Value>?, _ options: ObserverOptions?) -> AskedQuery {
    var new = self
    new.serial += 1
    if let query {
      new.key = query.key.erased
      new.definition = query.definition
    }
    if let options { new.boxedOptions = BoxedObserverOptions(options) }
    return new
  }
}

/// Options of an observer, out of line.
private final class BoxedObserverOptions: Sendable {
  let value: ObserverOptions

  init(_ value: ObserverOptions) { self.value = value }
}
