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

/// Reports failures of a simulation, or violations of a store's contract.
///
/// A report fails the test, at the line that created the simulation. Outside of tests, as in a playground
/// page, it is printed to the standard error stream. If the process has a test library that cannot be told of
/// a failure, the process ends, because a failing test must not pass.
@_spi(Contracts)
public struct FailureReport: Sendable {
  private let fileID: String
  private let filePath: StaticString
  private let line: Int
  private let column: Int
  private let library: SwiftTesting
  /// Whether a test was running when this object was created; stored, because a thread that belongs to no
  /// test may drive the simulation later.
  private let standing: SwiftTesting.Standing

  /// Creates a report for the current test, if there is a test.
  public init(fileID: String, filePath: StaticString, line: Int, column: Int) {
    let library = SwiftTesting()
    self.init(fileID: fileID, filePath: filePath, line: line, column: column, library: library)
  }

  init(
    fileID: String,
    filePath: StaticString,
    line: Int,
    column: Int,
    library: SwiftTesting
  ) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
    self.library = library
    standing = library.standing
  }

  /// Reports a failure; the way depends on whether a test is running.
  public func callAsFunction(_ message: String) {
    switch standing {
    case .runsTest:
      let isRecorded = library.record(
        message,
        fileID: fileID,
        filePath: filePath.description,
        line: line,
        column: column
      )
      if !isRecorded { endProcess(message) }
    case .isUnknown where library.isThere:
      endProcess(message)
    case .runsNoTest, .isUnknown:
      // The failure is also printed, because a process may have loaded XCTest without running a test case of
      // it, and then `XCTFail` has no effect.
      XCTestFailure.record?(message, filePath, UInt(clamping: line))
      print(message)
    }
  }

  private func endProcess(_ message: String) -> Never {
    print(message)
    // No other way is left to make the test fail.
    fatalError("Swift Testing cannot be told that a test has failed: \(fileID):\(line): \(message)")
  }

  /// Prints a failure to the standard error stream, for use after the end of the test.
  func print(_ message: String) {
    // The stream is named by its number, because Swift 6 forbids the global variable `stderr`.
    let bytes = Array("\(fileID):\(line): \(message)\n".utf8)
    #if os(Windows)
    _ = _write(2, bytes, UInt32(bytes.count))
    #else
    _ = write(2, bytes, bytes.count)
    #endif
  }
}
