internal import Foundation

/// Returns the composed form (NFC) of a string: the same for canonically equivalent strings.
///
/// Keys need this form, which the standard library does not make public.
package func composed(_ string: String) -> String {
  string.utf8.allSatisfy { $0 < 0x80 } ? string : string.precomposedStringWithCanonicalMapping
}
