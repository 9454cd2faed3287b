internal import StreamQuery

/// What most observed objects do not have, out of line.
final class OptionsBox: Sendable {
  let options: ObserverOptions?
  let changeContext: ChangeContext?

  init(_ options: ObserverOptions?, _ changeContext: ChangeContext? = nil) {
    self.options = options
    self.changeContext = changeContext
  }
}
