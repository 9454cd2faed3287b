internal import StreamQuery

/// Retains the observed object of a property wrapper while the wrapper's view exists.
///
/// Each place of a view in the hierarchy has one holder. The holder makes its object when a shown view first
/// needs it.
@MainActor
final class LiveHolder<Object: AnyObject> {
  /// Makes the object observe what the view names; if the object may not observe here, makes it show cached
  /// data.
  ///
  /// Without options, the object keeps its present ones.
  typealias Tell = (
    _ object: Object,
    _ options: ObserverOptions?,
    _ client: QueryClient,
    _ queryEnvironment: QueryEnvironment
  ) -> Void

  private var object: Object?
  private var machine = LiveMachine()
  /// The presence of the views with a modifier that takes the wrapper, such as `attach(_:)`; made when the
  /// first of them appears.
  private var presence: Presence?
  private var queryEnvironment = QueryEnvironment()
  /// The wrapper's own function that applies changes, for example inside of an animation; `nil` if it has
  /// none.
  ///
  /// It takes precedence over the function of the views around the wrapper.
  private var context: SharedContext?
  private var tell: Tell?
  /// The options of the wrapper, which apply to the query that the wrapper or a modifier names.
  private var options: OptionsBox?
  private var isInstalled = false
  /// Whether the view was updated and has not read the object since.
  private var isUpdated = false

  nonisolated init() {}

  /// Returns the object, for a read of the wrapper.
  ///
  /// - Parameter make: Makes an object that observes nothing yet.
  /// - Returns: The object.
  func object(_ make: () -> Object) -> Object {
    if isUpdated {
      isUpdated = false
      presence?.noteRead()
    }
    return made(make)
  }

  /// Returns the object, and makes it at the first call.
  private func made(_ make: () -> Object) -> Object {
    if let object { return object }
    if !isInstalled { ViewMisuse.readOutsideOfAView(String(describing: Object.self)).report() }
    let new = make()
    (new as? any WitnessedObject)?.witness = self
    object = new
    return new
  }

  /// Notes the wrapper's present settings, because its view is about to be drawn.
  ///
  /// - Parameters:
  ///   - changeContext: The wrapper's own function that applies changes.
  ///   - options: The present options of the wrapper.
  ///   - make: Makes an object that observes nothing yet.
  func installed(
    _ changeContext: ChangeContext?,
    options: OptionsBox? = nil,
    _ make: () -> Object
  ) {
    isInstalled = true
    let areGone = machine.named(options: options != nil)
    self.options = areGone ? OptionsBox(ObserverOptions()) : options
    if let changeContext {
      context = context ?? SharedContext()
      context?.apply = changeContext
    } else {
      context = nil
    }
    _ = made(make)
  }

  /// Makes the object observe what the wrapper or a modifier names.
  ///
  /// - Parameters:
  ///   - asker: The wrapper or the modifier.
  ///   - queryEnvironment: The environment of the wrapper or the modifier.
  ///   - tell: Makes the object observe; called now, and when the view appears or disappears.
  func configure(
    by asker: LiveMachine.Asker,
    in queryEnvironment: QueryEnvironment,
    _ tell: @escaping Tell
  ) {
    let wasNamedTwice = machine.isNamedTwice
    let step = machine.asked(by: asker)
    if !wasNamedTwice, machine.isNamedTwice {
      ViewMisuse.namedTwice(String(describing: Object.self)).report()
    }
    guard step == .tell else { return }
    move(from: self.queryEnvironment.gate, to: queryEnvironment.gate)
    self.queryEnvironment = queryEnvironment
    self.tell = tell
    perform()
  }

  /// Notes that the wrapper names nothing to observe, and ends an observation that the wrapper has begun.
  ///
  /// - Parameter forget: Makes the object show nothing; called if the wrapper has named something before.
  func namedNothing(_ forget: (Object) -> Void) {
    guard machine.namedNothing() == .forget, let object else { return }
    tell = nil
    forget(object)
  }

  /// Notes that the view with the wrapper is updated.
  ///
  /// If its body then reads the object, the view is also drawn. Without that read it may be hidden, because
  /// systems may update a hidden view without drawing it.
  func updated() {
    isUpdated = true
    presence?.updated()
  }

  /// Notes that a view with a modifier that takes the wrapper has appeared.
  func appeared() {
    if presence == nil {
      let new = Presence()
      new.onChange = { [weak self] in self?.perform() }
      presence = new
    }
    presence?.appeared()
  }

  /// Notes that a view with a modifier that takes the wrapper has disappeared.
  func disappeared() { presence?.disappeared(of: queryEnvironment.client) }

  private func perform() {
    guard let object, let tell else { return }
    var queryEnvironment = queryEnvironment
    let isShown = queryEnvironment.period == .always || presence?.isPresent != false
    queryEnvironment.observes = queryEnvironment.observesNow && isShown
    if let context { queryEnvironment.context = context }
    let client = queryEnvironment.client ?? FallbackClient.taken()
    tell(object, options?.options, client, queryEnvironment)
  }
}

extension LiveHolder: PresenceMember {
  func presenceChanged() { perform() }
}

extension LiveHolder: ReaderWitness {
  func readersAreTold() {
    presence?.changed(of: queryEnvironment.client)
    queryEnvironment.presence?.changed(of: queryEnvironment.client)
  }

  func changeWasRead() {
    presence?.changeWasRead()
    queryEnvironment.presence?.changeWasRead()
  }
}
