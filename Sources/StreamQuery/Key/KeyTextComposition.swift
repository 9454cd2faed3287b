internal import Foundation

/// Returns the composed form (NFC) of a string, in which canonically equivalent strings are the same.
///
/// The one thing of the module's keys that the standard library keeps to itself.
func composed(_ string: String) -> String {
  string.utf8.allSatisfy { $0 < 0x80 } ? string : string.precomposedStringWithCanonicalMapping
}
