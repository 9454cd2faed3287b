#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Finds functions and variables of libraries that this process may have loaded, by their names in the
/// binary.
///
/// Apps and playgrounds also link this module, so it must not link a library that only tests have.
enum LoadedSymbol {
  /// Returns the address of a function or variable; `nil` if no loaded library exports it.
  ///
  /// A program that links its libraries statically exports no such names.
  static func address(_ name: String) -> UnsafeMutableRawPointer? {
    #if os(Windows) || os(WASI)
    nil
    #else
    dlopen(nil, RTLD_NOW).flatMap { dlsym($0, name) }
    #endif
  }
}
