#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The error of a failed fetch, as it is kept in an archive and shown by an entry after an import.
public struct ArchivedError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  /// The description of the error.
  public var description: String
  /// The date when the fetch failed.
  public var updatedAt: Date

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - description: The description.
  ///   - updatedAt: The date when the fetch failed.
  public init(description: String, updatedAt: Date) {
    self.description = description
    self.updatedAt = updatedAt
  }
}
