#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a ``DefaultsStore`` asks of app defaults: bytes under names.
///
/// Both are called under no lock, and may do what they like, such as tell others of a change. Only waiting for another
/// use of the same name in the same storage never ends: the stores of a process take turns at that. An object is a
/// storage by itself; for all other types, the values of one type count as the same storage. So two objects that are
/// the same defaults do not know of each other: share one, or make the type a struct.
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
}
