#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The place of a tested store's data, which is empty at first and may be opened again.
public struct StorePlace: Hashable, Sendable {
  /// A name that no other place has, for stores without files.
  public let name: String
  /// A directory for this place alone, which exists and is removed after the test.
  public let directory: URL

  /// Creates a place with an empty directory.
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
