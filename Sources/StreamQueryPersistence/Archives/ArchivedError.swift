#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a fetch failed, as far as an archive says; an entry that was imported from one shows it.
public struct ArchivedError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  /// The description of the error.
  public var description: String
  /// When the fetch failed.
  public var updatedAt: Date

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - description: The description.
  ///   - updatedAt: When the fetch failed.
  public init(description: String, updatedAt: Date) {
    self.description = description
    self.updatedAt = updatedAt
  }
}
