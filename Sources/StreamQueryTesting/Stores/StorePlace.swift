#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The place of the data of a store under test: empty at first, and later opened again.
public struct StorePlace: Hashable, Sendable {
  /// A name that no other place has, for stores that are not files.
  public let name: String
  /// A directory of its own, which exists and is removed after the test.
  public let directory: URL

  /// Creates the directory.
  init() throws {
    name = "StreamQueryStore-\(UUID().uuidString)"
    directory = FileManager.default.temporaryDirectory.appending(
      path: name,
      directoryHint: .isDirectory
    )
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  func remove() {
    try? FileManager.default.removeItem(at: directory)
  }
}
