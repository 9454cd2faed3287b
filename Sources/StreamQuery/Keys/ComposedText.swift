internal import Foundation

/// Returns the composed form (NFC) of a string: the same for canonically equivalent strings.
///
/// Keys need it, and the standard library does not make it public.
package func composed(_ string: String) -> String {
  string.utf8.allSatisfy { $0 < 0x80 } ? string : string.precomposedStringWithCanonicalMapping
}
