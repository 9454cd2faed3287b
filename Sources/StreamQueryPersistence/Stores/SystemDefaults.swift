#if canImport(Darwin)
internal import Foundation

/// The defaults of an app, or of a group of apps, as a storage.
///
/// They are looked up at each use, because `UserDefaults` is not `Sendable`.
struct SystemDefaults: DefaultsStorage {
  var suiteName: String?

  private var defaults: UserDefaults {
    suiteName.flatMap { UserDefaults(suiteName: $0) } ?? .standard
  }

  func data(forKey name: String) -> Data? { defaults.data(forKey: name) }
  func set(_ data: Data?, forKey name: String) { defaults.set(data, forKey: name) }
}
#endif
