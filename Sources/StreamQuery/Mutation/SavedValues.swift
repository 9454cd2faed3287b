/// What the `onMutate` callbacks of a run returned, by type: the last value of a type wins.
struct SavedValues: Sendable {
  /// Values are only ever added.
  var values: [any Sendable] = []

  subscript<Saved: Sendable>(type: Saved.Type) -> Saved? {
    values.reversed().lazy.compactMap { $0 as? Saved }.first
  }
}
