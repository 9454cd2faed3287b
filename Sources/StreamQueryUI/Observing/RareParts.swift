internal import StreamQuery

/// Parts that most observed queries do not have, out of line.
@MainActor
final class RareParts<Value: Sendable> {
  var options: OptionsBox?
  var changeContext: ChangeContext?
  var route: ErrorRoute<Value>?
  /// The object that hears of changes together with readers: the holder of a property wrapper.
  weak var witness: (any ReaderWitness)?
  /// Of a view whose appearances the object is told of itself.
  var presence = PresenceMachine()
  /// Waits before another key is observed.
  var debouncer: Debouncer?
  /// When that view observes.
  var period = ObservationPeriod.onRender

  init(_ options: ObserverOptions? = nil) {
    self.options = options.map { OptionsBox($0) }
  }
}
