#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a ``DefaultsStore`` asks of app defaults: bytes under names.
///
/// The stores of a process take turns, so both are called under a lock: they must not wait for another
/// thread that uses such a store, and neither must those whom a change is told to.
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
