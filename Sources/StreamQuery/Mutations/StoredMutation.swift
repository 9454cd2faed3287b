/// The facts of a mutation under its defaults that the cache knows: values, and no closure of a
/// user.
///
/// The client makes it as a `ResolvedMutation`, its only subclass, which has the work and the
/// callbacks, and casts it back. See ``StoredQuery``. `Sendable` is correct because all stored
/// properties of both are immutable and `Sendable`.
package class StoredMutation: @unchecked Sendable {
  final let key: EntryKey
  final let scope: String?
  final let meta: QueryMeta
  /// The options that the machine of a run needs.
  final let runOptions: RunOptions
  /// Whether a newer run replaces the ones that were not sent.
  package final let isNewestOnly: Bool
  /// The item of which its run is a version; `nil` if all of its runs in the scope are versions of
  /// one.
  final let pacingKey: String?

  /// Whether its runs wait before they are sent.
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
