internal import StreamQuery

/// The parts that few observed queries have, in an object of their own to save memory.
@MainActor
final class RareParts<Value: Sendable> {
  var options: OptionsBox?
  var changeContext: ChangeContext?
  var route: ErrorRoute<Value>?
  /// The object that is told of changes together with readers: the holder of a property wrapper.
  weak var witness: (any ReaderWitness)?
  /// The presence of the view, if a view reports its appearances to the object.
  var presence = PresenceMachine()
  /// Delays the observation of another key.
  var debouncer: Debouncer?
  /// The period of observation, if a view reports its appearances to the object.
  var period = ObservationPeriod.onRender

  init(_ options: ObserverOptions? = nil) {
    self.options = options.map { OptionsBox($0) }
  }
}
