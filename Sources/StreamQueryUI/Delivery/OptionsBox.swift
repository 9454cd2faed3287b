internal import StreamQuery

/// Options of an observer, as an object: most views have none, and a reference needs less room.
final class OptionsBox: Sendable {
  let options: ObserverOptions

  init(_ options: ObserverOptions) { self.options = options }
}
