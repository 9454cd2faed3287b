/// The query and the options that an observer handle was last given.
///
/// This type is not generic, although handles are: each access to a lock over a generic value would look up
/// the type of the lock.
struct AskedQuery {
  private var key: AnyQueryKey
  private var definition: QueryDefinition
  /// The options are in an object, because they are large and most handles have none.
  private var boxedOptions: BoxedObserverOptions?

  init<Value>(_ query: Query<Value>, _ options: ObserverOptions?) {
    key = query.key.erased
    definition = query.definition
    // The options are only compared with `nil`, because unwrapping would copy them.
    boxedOptions = options == nil ? nil : BoxedObserverOptions.make(options)
  }

  var options: ObserverOptions? { boxedOptions?.value }

  /// The query.
  ///
  /// - Parameter valueType: The value type of the handle.
  /// - Returns: The query.
  func query<Value>(of valueType: Value.Type) -> Query<Value> {
    Query(key: QueryKey(erased: key), definition: definition)
  }

  /// Returns the query and options after an update.
  ///
  /// - Parameters:
  ///   - query: The new query; `nil` keeps the present one.
  ///   - options: The new options; `nil` keeps the present ones.
  /// - Returns: The query and options.
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
  /// Whether two handles have the same query and options, as the same objects.
  static func === (one: Self, other: Self) -> Bool {
    one.definition === other.definition && one.boxedOptions === other.boxedOptions
      && one.key.storage === other.key.storage
  }
}

/// The options of an observer, as an object.
private final class BoxedObserverOptions: Sendable {
  let value: ObserverOptions

  init(_ value: ObserverOptions) { self.value = value }

  @inline(never)
  static func make(_ options: ObserverOptions?) -> BoxedObserverOptions? {
    options.map(BoxedObserverOptions.init)
  }
}
