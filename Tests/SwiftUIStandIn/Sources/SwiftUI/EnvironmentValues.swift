// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues {
  private var values: [ObjectIdentifier: Any] = [:]
  var objects: [ObjectIdentifier: AnyObject] = [:]

  public init() {}

  public subscript<Key: EnvironmentKey>(_ key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }

  public var scenePhase: ScenePhase {
    get { self[PhaseKey.self] }
    set { self[PhaseKey.self] = newValue }
  }
  /// Where no scene says its phase, it is in the background: a view in a plain window reads this.
  private enum PhaseKey: EnvironmentKey { static var defaultValue: ScenePhase { .background } }

  public internal(set) var refresh: RefreshAction? {
    get { self[RefreshKey.self] }
    set { self[RefreshKey.self] = newValue }
  }
  private enum RefreshKey: EnvironmentKey { static var defaultValue: RefreshAction? { nil } }

  /// Whether all values are equal, or are the same objects; a value that cannot be compared counts as
  /// different.
  func isSame(as other: Self) -> Bool {
    func isSame(_ one: Any, _ other: Any?) -> Bool {
      guard let other else { return false }
      if let one = one as? any Equatable { return isEqual(one, other) }
      if type(of: one) is AnyClass, type(of: other) is AnyClass {
        return (one as AnyObject) === (other as AnyObject)
      }
      return false
    }
    func isEqual<T: Equatable>(_ one: T, _ other: Any) -> Bool { one == other as? T }
    return values.count == other.values.count && objects.count == other.objects.count
      && values.allSatisfy { isSame($0.value, other.values[$0.key]) }
      && objects.allSatisfy { $0.value === other.objects[$0.key] }
  }
}

public enum ScenePhase: Comparable, Hashable, Sendable { case background, inactive, active }

public struct RefreshAction: Sendable {
  let action: @Sendable () async -> Void
  public func callAsFunction() async { await action() }
}
