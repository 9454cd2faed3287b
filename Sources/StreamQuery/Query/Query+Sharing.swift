extension Query where Value: Equatable {
  /// Keeps the cached value when a fetch brings an equal one.
  ///
  /// What was made of the value, as by `select`, is then not made again. The fetch counts all the
  /// same: `dataUpdatedAt` moves on.
  ///
  /// - Complexity: One comparison per fetch.
  /// - Returns: The changed query.
  public func sharingUnchanged() -> Self {
    sharing(Sharing.whole)
  }
}

extension Query where Value: RangeReplaceableCollection & Equatable, Value.Element: Equatable {
  /// Keeps the elements that a fetch brings again at the same position.
  ///
  /// - Complexity: O(*n*) comparisons per fetch.
  /// - Returns: The changed query.
  public func sharingUnchanged() -> Self {
    sharing(Sharing.byPosition)
  }
}

extension Query
where Value: RangeReplaceableCollection & Equatable, Value.Element: Equatable & Identifiable {
  /// Keeps the elements that a fetch brings again, wherever in the list.
  ///
  /// For lists whose rows are objects, or expensive to compare: a refresh that changes one row
  /// leaves the others what they were. If nothing changed at all, neither did the list.
  ///
  /// ```swift
  /// Query("users") { try await api.users() }.sharingUnchanged()
  /// ```
  ///
  /// - Complexity: O(*n*) comparisons per fetch.
  /// - Returns: The changed query.
  public func sharingUnchanged() -> Self {
    sharing(Sharing.byIdentity)
  }
}

extension Query where Value: Equatable {
  /// Reuses the whole box where nothing changed, so that consumers need not compare.
  private func sharing(
    _ share: @escaping @Sendable (_ old: Value, _ new: Value) -> Value
  ) -> Self {
    let merge: @Sendable (ValueBox, ValueBox) -> ValueBox = { old, new in
      Sharing.box(old, new, share)
    }
    return Query(key: key, plan: plan.with { $0.merge = merge })
  }
}

extension Sharing {
  /// The old box if its value equals the new one's, else a box of the shared value.
  ///
  /// - Parameters:
  ///   - old: The box before.
  ///   - new: The box that came.
  ///   - share: Joins unequal values.
  /// - Returns: The box to go on with.
  package static func box<Value: Equatable & Sendable>(
    _ old: ValueBox,
    _ new: ValueBox,
    _ share: (Value, Value) -> Value
  ) -> ValueBox {
    let (oldValue, newValue) = (old.value(as: Value.self), new.value(as: Value.self))
    return oldValue == newValue ? old : TypedBox(share(oldValue, newValue))
  }
}
