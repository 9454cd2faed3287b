internal import StreamQuery

/// The parts that most observed queries do not have, in an object of their own.
@MainActor
final class RareParts<Value: Sendable> {
  var options: OptionsBox?
  var changeContext: ChangeContext?
  var route: ErrorRoute<Value>?
  /// The object that hears of changes together with readers: the holder of a property wrapper.
  weak var witness: (any ReaderWitness)?
  /// The presence of a view that reports its appearances to the object.
  var presence = PresenceMachine()
  /// Delays another key.
  var debouncer: Debouncer?
  /// When that view observes.
  var period = ObservationPeriod.onRender

  init(_ options: ObserverOptions? = nil) {
    self.options = options.map { OptionsBox($0) }
  }
}
