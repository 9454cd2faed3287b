/// How the parts of a value are shared: looked up once for their type, for all of them.
struct PartSharing<Part: Equatable> {
  private let structure: (any StructurallyShared.Type)?

  init() {
    structure = Part.self as? any StructurallyShared.Type
  }

  /// Shares a part; runs user code, so never under the lock.
  ///
  /// - Parameters:
  ///   - old: The part before.
  ///   - new: The part that came.
  /// - Returns: A part that equals the new one, and whether it is the old one.
  func callAsFunction(_ old: Part, _ new: Part) -> (part: Part, isOld: Bool) {
    // Reused parts are compared by their storage.
    let part = structure.map { reuse(old, new, as: $0) } ?? new
    return part == old ? (old, true) : (part, false)
  }

  private func reuse<Known: StructurallyShared>(
    _ old: Part,
    _ new: Part,
    as type: Known.Type
  ) -> Part {
    // The same type under another name, so no cast ever fails.
    guard let old = old as? Known, let known = new as? Known,
      let part = known.reusingUnchanged(from: old) as? Part
    else { return new }
    return part
  }
}
