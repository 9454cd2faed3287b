// The mistake to let the newest run take the place of those that are about something else.

extension QueryClient {
  /// A run took the place of another one, without a key that says of what they are versions.
  ///
  /// - Parameters:
  ///   - job: The older run.
  ///   - newer: The newer one.
  ///   - changesOthers: Whether the older run showed a change of what the newer one leaves alone.
  nonisolated func discarded(_ job: MutationJob, by newer: MutationJob, changesOthers: Bool) {
    guard changesOthers || ItemIdentity(of: job.input) != ItemIdentity(of: newer.input) else {
      return
    }
    report(.otherItemDiscarded(key: job.key.key.description))
  }
}

/// Which item an input is about, as far as it says so: by being `Identifiable`, or by a property `id`.
private struct ItemIdentity: Equatable {
  private let id: AnyHashable?

  init(of input: ValueBox) {
    let value = input.erased
    if let item = value as? any Identifiable {
      id = Self.id(of: item)
    } else {
      let id = Mirror(reflecting: value).children.first { $0.label == "id" }?.value
      self.id = (id as? any Hashable).map { AnyHashable($0) }
    }
  }

  private static func id(of item: some Identifiable) -> AnyHashable { AnyHashable(item.id) }
}
