#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a fetch failed, as far as an archive tells; an entry that comes out of one shows it.
public struct ArchivedError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  /// What is said of the error.
  public var description: String
  /// When the fetch failed.
  public var updatedAt: Date

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - description: What is said of it.
  ///   - updatedAt: When the fetch failed.
  public init(description: String, updatedAt: Date) {
    self.description = description
    self.updatedAt = updatedAt
  }
}
