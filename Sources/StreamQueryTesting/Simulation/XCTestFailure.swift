#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// XCTest's function to fail the current test case.
///
/// Found at run time: a library that links XCTest could not be used outside of tests.
enum XCTestFailure {
  /// `XCTFail(_:file:line:)`; does nothing while no test case runs.
  typealias Record = @convention(thin) (String, StaticString, UInt) -> Void

  /// `nil` in a process without XCTest.
  static var record: Record? {
    #if os(Windows) || os(WASI)
    return nil
    #else
    // The name of the function in the binary, the same on every platform.
    let name = "$s6XCTest7XCTFail_4file4lineySS_s12StaticStringVSutF"
    guard let handle = dlopen(nil, RTLD_NOW), let symbol = dlsym(handle, name) else { return nil }
    // The symbol is a function of this type.
    return unsafeBitCast(symbol, to: Record.self)
    #endif
  }
}
