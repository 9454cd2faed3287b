internal import StreamQuery

/// Options as an object, because most views have none.
final class OptionsBox: Sendable {
  let options: ObserverOptions

  init(_ options: ObserverOptions) { self.options = options }
}
