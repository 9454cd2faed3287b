/// The facts of a mutation, with its defaults applied, that the cache keeps: values, and no closure of a
/// user.
///
/// Each object is a `ResolvedMutation`, the only subclass, which adds the work and the callbacks; the client
/// casts it back. See ``StoredQuery``. `Sendable` is correct because all stored properties of both classes
/// are immutable and `Sendable`.
package class StoredMutation: @unchecked Sendable {
  final let key: EntryKey
  final let scope: String?
  final let meta: QueryMeta
  /// The options that the machine of a run needs.
  final let runOptions: RunOptions
  /// Whether a newer run replaces earlier ones that were not sent.
  package final let isNewestOnly: Bool
  /// The key that `pacing(_:of:)` gives the run; `nil` if the run replaces all others of its mutation and
  /// scope.
  final let pacingKey: String?

  /// Whether the mutation's runs wait before they are sent.
  package final var isDelayed: Bool { runOptions.delay != .zero }

  init(
    key: EntryKey,
    scope: String?,
    meta: QueryMeta,
    runOptions: RunOptions,
    isNewestOnly: Bool = false,
    pacingKey: String? = nil
  ) {
    self.isNewestOnly = isNewestOnly
    self.pacingKey = pacingKey
    self.key = key
    self.scope = scope
    self.meta = meta
    self.runOptions = runOptions
  }
}
