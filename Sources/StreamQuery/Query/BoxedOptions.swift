/// Options in an object of their own.
///
/// They are large and mostly not set: each modifier copies its query's definition, and each entry
/// keeps one. There, they take one word, and queries without options share one object.
final class BoxedOptions: Sendable {
  static let none = BoxedOptions(.default)

  let value: QueryOptions

  init(_ value: QueryOptions) {
    self.value = value
  }
}
