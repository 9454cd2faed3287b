/// What the cache knows of a mutation under its defaults: values, and no closure of a user.
///
/// The client makes it and takes it back as a `ResolvedMutation`, its only subclass, which has the
/// work and the callbacks. See ``StoredQuery``. `Sendable` is correct because all stored properties
/// of both are immutable and `Sendable`.
package class StoredMutation: @unchecked Sendable {
  final let key: EntryKey
  final let scope: String?
  final let meta: QueryMeta
  /// What the machine of a run needs.
  final let runOptions: RunOptions
  /// Whether a newer run takes the place of those that were not sent.
  package final let isNewestOnly: Bool
  /// Of what its run is a version; `nil` if all of its runs in the scope are versions of the same.
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
