internal import StreamQuery

/// What most views do not have, out of line.
final class OptionsBox: Sendable {
  let options: ObserverOptions

  init(_ options: ObserverOptions) { self.options = options }
}
