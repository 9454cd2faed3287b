#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// An open file, which is closed with its last reference.
protocol StoredFile: AnyObject, Sendable {
  var identity: FileIdentity { get }
  func length() throws(QueryStoreError) -> Int
  /// Reads a range of bytes; fewer bytes if the file ends before.
  func read(_ range: Range<Int>) throws(QueryStoreError) -> Data
  func write(_ bytes: [UInt8], at offset: Int) throws(QueryStoreError)
  func truncate(to length: Int) throws(QueryStoreError)
  func sync() throws(QueryStoreError)
}
