internal import StreamQuery

/// Holds the observed object of a property wrapper while its view exists.
///
/// Each place of a view in the hierarchy has one holder. The holder makes its object only when a
/// shown view needs it.
@MainActor
final class LiveHolder<Object: AnyObject> {
  /// Tells the object what to observe or, if it may not observe here, what to show.
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
  /// The presence of the modifiers that show the object; made when such a modifier appears.
  private var presence: Presence?
  private var queryEnvironment = QueryEnvironment()
  /// The function that applies changes, for example inside of an animation, if the wrapper was
  /// given one.
  ///
  /// It takes precedence over the one of the views around it.
  private var context: SharedContext?
  private var tell: Tell?
  /// The options of the wrapper; they apply to the query of the wrapper and to that of a modifier.
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

  /// Returns the object, which the first call makes.
  private func made(_ make: () -> Object) -> Object {
    if let object { return object }
    if !isInstalled { ViewMisuse.readOutsideOfAView(String(describing: Object.self)).report() }
    let new = make()
    (new as? any WitnessedObject)?.witness = self
    object = new
    return new
  }

  /// The view with the wrapper is about to be drawn.
  ///
  /// - Parameters:
  ///   - changeContext: The function of the wrapper inside of which changes are applied.
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

  /// The wrapper or a modifier has named a query, or something else to observe.
  ///
  /// - Parameters:
  ///   - asker: The wrapper or the modifier.
  ///   - queryEnvironment: Its surroundings.
  ///   - tell: Tells the object what to observe; called now, and when the view appears or
  ///     disappears.
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

  /// The wrapper names nothing to observe.
  ///
  /// - Parameter forget: Makes the object show nothing; called if the wrapper named something
  ///   before.
  func namedNothing(_ forget: (Object) -> Void) {
    guard machine.namedNothing() == .forget, let object else { return }
    tell = nil
    forget(object)
  }

  /// The view with the wrapper is updated.
  ///
  /// If its body reads the object then, the view is drawn: systems may also update a hidden view
  /// without drawing it.
  func updated() {
    isUpdated = true
    presence?.updated()
  }

  /// A view of a modifier that shows the object has appeared.
  func appeared() {
    if presence == nil {
      let new = Presence()
      new.onChange = { [weak self] in self?.perform() }
      presence = new
    }
    presence?.appeared()
  }

  /// A view of a modifier that showed the object has disappeared.
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
