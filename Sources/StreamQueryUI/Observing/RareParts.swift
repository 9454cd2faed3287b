internal import StreamQuery

/// The parts that few observed queries have, in an object of their own to save memory.
@MainActor
final class RareParts<Value: Sendable> {
  var options: OptionsBox?
  var changeContext: ChangeContext?
  var route: ErrorRoute<Value>?
  /// The object that is told of changes together with readers: the holder of a property wrapper.
  weak var witness: (any ReaderWitness)?
  /// Whether the view is on the screen; used only if the view reports its appearances to the observed object.
  var presence = PresenceMachine()
  /// Delays the observation of another key.
  var debouncer: Debouncer?
  /// When the view observes; used only if the view reports its appearances to the observed object.
  var period = ObservationPeriod.onRender

  init(_ options: ObserverOptions? = nil) {
    self.options = options.map { OptionsBox($0) }
  }
}
