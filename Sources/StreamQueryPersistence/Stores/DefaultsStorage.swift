#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Stores bytes under names in app defaults, for a ``DefaultsStore``.
///
/// A store calls both methods outside of locks, so they may run any code, such as reporting a change. They
/// must not wait for another use of the same name in the same storage: the stores of a process take turns at
/// a name, so that wait would never end.
public protocol DefaultsStorage: Sendable {
  /// Returns the bytes under a name.
  ///
  /// - Parameter name: The name.
  /// - Returns: The bytes; `nil` if there are none.
  func data(forKey name: String) -> Data?

  /// Puts bytes under a name, in one step.
  ///
  /// - Parameters:
  ///   - data: The bytes; `nil` removes the present ones.
  ///   - name: The name.
  func set(_ data: Data?, forKey name: String)

  /// The identity of the defaults behind the storage. Stores take turns if their storages have the same
  /// identity.
  ///
  /// By default this is the identity of the type, because all values of the type may share their defaults. If
  /// they do not, their stores only wait for each other without need. Override this for separate storages,
  /// such as objects that each hold their own values in parallel tests: return `ObjectIdentifier(self)`.
  var storageIdentity: ObjectIdentifier { get }
}

extension DefaultsStorage {
  /// The identity of the storage's type.
  public var storageIdentity: ObjectIdentifier { ObjectIdentifier(Self.self) }
}
