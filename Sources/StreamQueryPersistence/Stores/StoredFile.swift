#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// An open file, which its last reference closes.
protocol StoredFile: AnyObject, Sendable {
  var identity: FileIdentity { get }
  func length() throws(QueryStoreError) -> Int
  /// Reads bytes, fewer if the file ends before.
  func read(_ range: Range<Int>) throws(QueryStoreError) -> Data
  func write(_ bytes: [UInt8], at offset: Int) throws(QueryStoreError)
  func truncate(to length: Int) throws(QueryStoreError)
  func sync() throws(QueryStoreError)
}
