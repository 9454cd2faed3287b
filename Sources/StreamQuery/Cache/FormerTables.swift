/// Tables that the cache released, with the entries that did not move into new ones.
///
/// They hold user objects: never release them under the lock.
final class FormerTables: Sendable {
  let slots: [EntrySlot]
  private let index: KeyIndex
  private let observers: [Observer]
  private let runs: [MutationSlot]

  init(
    slots: [EntrySlot] = [],
    index: KeyIndex = KeyIndex(),
    observers: [Observer] = [],
    runs: [MutationSlot] = []
  ) {
    self.slots = slots
    self.index = index
    self.observers = observers
    self.runs = runs
  }
}
