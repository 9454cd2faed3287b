/// An entry as it was when its fetch ended.
final class EntryEnd: Sendable {
  let snapshot: EntrySnapshot
  let machine: EntryMachine

  init(snapshot: EntrySnapshot, machine: EntryMachine) {
    self.snapshot = snapshot
    self.machine = machine
  }
}
