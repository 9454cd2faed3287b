/// The function of XCTest that fails the current test case.
enum XCTestFailure {
  /// The type of `XCTFail(_:file:line:)`, which has no effect while no test case runs.
  typealias Record = @convention(thin) (String, StaticString, UInt) -> Void

  /// The function; `nil` in a process without XCTest.
  static var record: Record? {
    // The name of the function in the binary is the same on every platform.
    let name = "$s6XCTest7XCTFail_4file4lineySS_s12StaticStringVSutF"
    // The function at this address has the type `Record`.
    return LoadedSymbol.address(name).map { unsafeBitCast($0, to: Record.self) }
  }
}
