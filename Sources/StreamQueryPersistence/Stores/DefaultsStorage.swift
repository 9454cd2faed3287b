#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a ``DefaultsStore`` asks of app defaults: bytes under names.
///
/// Both are called under no lock, and may do what they like, such as tell others of a change. Only waiting for another
/// use of the same name in the same storage never ends: the stores of a process take turns at that.
public protocol DefaultsStorage: Sendable {
  /// Returns the bytes under a name.
  ///
  /// - Parameter name: The name.
  /// - Returns: The bytes; `nil` if there are none.
  func data(forKey name: String) -> Data?

  /// Puts bytes under a name, in one step.
  ///
  /// - Parameters:
  ///   - data: The bytes; `nil` removes what is there.
  ///   - name: The name.
  func set(_ data: Data?, forKey name: String)

  /// What is behind the storage: stores whose storages have the same identity take turns.
  ///
  /// By default it is the type, since all its values and objects may be the same defaults. Two that have nothing in
  /// common then wait for each other, and lose nothing else. Override it for storages that are apart, as with
  /// `ObjectIdentifier(self)` for objects that each hold their own values, such as those of tests that run in parallel.
  var storageIdentity: ObjectIdentifier { get }
}

extension DefaultsStorage {
  /// The type.
  public var storageIdentity: ObjectIdentifier { ObjectIdentifier(Self.self) }
}
