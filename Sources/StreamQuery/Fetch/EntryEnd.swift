/// An entry as it was when its fetch ended.
final class EntryEnd: Sendable {
  let frame: Frame
  let machine: EntryMachine

  init(frame: Frame, machine: EntryMachine) {
    self.frame = frame
    self.machine = machine
  }
}
