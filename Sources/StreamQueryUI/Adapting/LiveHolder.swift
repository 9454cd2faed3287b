internal import StreamQuery

/// Holds the observed object of a property wrapper for as long as its view exists.
///
/// A view makes a new one each time that it is initialised, and keeps the first: so it is small,
/// and makes its object only when a view that is shown needs it.
@MainActor
final class LiveHolder<Object: AnyObject> {
  /// Tells the object what to observe; or, if it is to observe nothing here, what to show.
  typealias Tell = (_ object: Object, _ client: QueryClient, _ surroundings: Surroundings) -> Void

  /// Who asks.
  enum Asker {
    /// The property wrapper.
    case wrapper
    /// A modifier, which knows more: the wrapper is not heard any more.
    case modifier
  }

  private var object: Object?
  private var visibility = VisibilityMachine()
  /// The modifiers that show it; they may come and go in any order.
  private var shownBy: Set<ObjectIdentifier> = []
  private var surroundings = Surroundings()
  /// That of the wrapper, over that of its surroundings.
  private var changeContext: ChangeContext?
  private var tell: Tell?
  private var hasModifier = false
  private var hadOptions = false
  private var isInstalled = false

  /// The object, made when it is asked for first.
  ///
  /// - Parameter make: Makes one that observes nothing yet.
  /// - Returns: The object.
  func object(_ make: () -> Object) -> Object {
    if let object { return object }
    if !isInstalled { ViewMisuse.readOutsideOfAView(String(describing: Object.self)).report() }
    let new = make()
    object = new
    return new
  }

  /// A view that has the wrapper is about to be drawn.
  ///
  /// - Parameters:
  ///   - changeContext: What the wrapper wants changes to be applied inside of.
  ///   - make: Makes an object that observes nothing yet.
  func installed(_ changeContext: ChangeContext?, _ make: () -> Object) {
    isInstalled = true
    self.changeContext = changeContext
    _ = object(make)
  }

  /// The options that the wrapper says now.
  ///
  /// - Parameter options: What it was given.
  /// - Returns: None of its own after it had some; `nil` if it never had any.
  func options(_ options: OptionsBox?) -> ObserverOptions? {
    defer { hadOptions = options != nil }
    return options?.options ?? (hadOptions ? ObserverOptions() : nil)
  }

  /// Something was asked for.
  ///
  /// - Parameters:
  ///   - asker: Who asks.
  ///   - surroundings: Where.
  ///   - tell: Called now, and when the view appears or disappears.
  func asked(by asker: Asker, in surroundings: Surroundings, _ tell: @escaping Tell) {
    if asker == .modifier { hasModifier = true } else if hasModifier { return }
    self.surroundings = surroundings
    self.tell = tell
    visibility.drawn(.onRender)
    perform()
  }

  /// A modifier that shows it has appeared.
  func appeared(_ modifier: AnyObject) {
    shownBy.insert(ObjectIdentifier(modifier))
    let observed = visibility.observes
    visibility.appeared()
    if !observed { perform() }
  }

  /// A modifier that showed it has disappeared.
  func disappeared(_ modifier: AnyObject) {
    shownBy.remove(ObjectIdentifier(modifier))
    guard shownBy.isEmpty else { return }
    visibility.disappeared()
    perform()
  }

  private func perform() {
    guard let object, let tell else { return }
    var surroundings = surroundings
    surroundings.isAllowed = surroundings.isAllowed && visibility.observes
    if let changeContext { surroundings.changeContext = changeContext }
    tell(object, surroundings.client ?? FallbackClient.taken(), surroundings)
  }
}
