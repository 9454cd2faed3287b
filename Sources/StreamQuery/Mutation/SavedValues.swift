/// What the `onMutate` callbacks of a run returned, by type: the last of a type holds.
struct SavedValues: Sendable {
  /// They are only ever added to.
  var values: [any Sendable] = []

  subscript<Saved: Sendable>(type: Saved.Type) -> Saved? {
    values.reversed().lazy.compactMap { $0 as? Saved }.first
  }
}
