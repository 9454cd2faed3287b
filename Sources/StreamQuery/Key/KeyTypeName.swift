/// Returns the name of a type with its module, written alike on every platform.
func stableName(of type: any Any.Type) -> String {
  let name = String(reflecting: type)
  // Where Foundation is split in two modules, its types carry the name of the smaller one.
  guard name.contains("FoundationEssentials.") else { return name }
  let pieces = name.split(separator: "FoundationEssentials.", omittingEmptySubsequences: false)
  return pieces.joined(separator: "Foundation.")
}

/// Says whether a type's name is the same in every build and launch.
func hasStableName(_ name: String) -> Bool {
  // Private and local types are printed with the address of their context; a debugger's and a
  // playground's expressions live in numbered modules.
  !name.contains("(unknown context") && !name.contains("__lldb_expr")
}
