#if canImport(Testing)
internal import Testing
#endif
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#elseif os(Windows)
internal import ucrt
#endif

/// How the failures of a simulation are reported.
///
/// They fail the test, at the line that created the simulation. Elsewhere, as in a playground page, they
/// are printed to the standard error stream.
struct FailureReport: Sendable {
  private let fileID: String
  private let filePath: StaticString
  private let line: Int
  private let column: Int
  /// Read at the start: a simulation may later be driven by a thread that belongs to no test.
  private let belongsToTest: Bool

  init(fileID: String, filePath: StaticString, line: Int, column: Int) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
    #if canImport(Testing)
    belongsToTest = Test.current != nil
    #else
    belongsToTest = false
    #endif
  }

  func callAsFunction(_ message: String) {
    #if canImport(Testing)
    if belongsToTest {
      let location = SourceLocation(
        fileID: fileID,
        filePath: filePath.description,
        line: line,
        column: column
      )
      Issue.record(Comment(rawValue: message), sourceLocation: location)
      return
    }
    #endif
    // Printed below as well: the runner loads XCTest even when it runs none of its test cases.
    XCTestFailure.record?(message, filePath, UInt(clamping: line))
    print(message)
  }

  /// Prints it to the standard error stream, when there is no longer a test that could fail.
  func print(_ message: String) {
    // By its number: `stderr` is a global variable that Swift 6 rightly refuses.
    let bytes = Array("\(fileID):\(line): \(message)\n".utf8)
    #if os(Windows)
    _ = _write(2, bytes, UInt32(bytes.count))
    #else
    _ = write(2, bytes, bytes.count)
    #endif
  }
}
