/// Returns the name of a type with its module, the same on every platform.
package func stableName(of type: any Any.Type) -> String {
  let name = String(reflecting: type)
  // Where Foundation is split into two modules, its types carry the name of the smaller one.
  guard occurs("FoundationEssentials.", in: name) else { return name }
  let pieces = name.split(separator: "FoundationEssentials.", omittingEmptySubsequences: false)
  return pieces.joined(separator: "Foundation.")
}

/// Returns whether a type's name is the same in every build and launch.
func hasStableName(_ name: String) -> Bool {
  // Private and local types are printed with the address of their context; expressions in a
  // debugger or a playground live in numbered modules.
  !occurs("(unknown context at $", in: name) && !occurs("__lldb_expr_", in: name)
}

/// Returns whether a text occurs in a name.
///
/// Bytes are enough for names. The library's own search builds tables for each call, which took
/// most of the time of making a key's text.
private func occurs(_ text: String, in name: String) -> Bool {
  var rest = name.utf8[...]
  while rest.count >= text.utf8.count {
    if rest.starts(with: text.utf8) { return true }
    rest.removeFirst()
  }
  return false
}
