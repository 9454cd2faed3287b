internal import StreamQuery

/// Options of an observer, out of line.
final class OptionsBox: Sendable {
  let options: ObserverOptions

  init(_ options: ObserverOptions) { self.options = options }
}
