/// XCTest's function to fail the current test case.
enum XCTestFailure {
  /// `XCTFail(_:file:line:)`; does nothing while no test case runs.
  typealias Record = @convention(thin) (String, StaticString, UInt) -> Void

  /// `nil` in a process without XCTest.
  static var record: Record? {
    // The name of the function in the binary, the same on every platform.
    let name = "$s6XCTest7XCTFail_4file4lineySS_s12StaticStringVSutF"
    // The symbol is a function of this type.
    return LoadedSymbol.address(name).map { unsafeBitCast($0, to: Record.self) }
  }
}
