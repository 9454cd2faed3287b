internal import StreamQuery

/// Options, out of line: most views have none.
final class OptionsBox: Sendable {
  let options: ObserverOptions

  init(_ options: ObserverOptions) { self.options = options }
}
