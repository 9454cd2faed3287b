/// Decides which requests the object of a property wrapper follows: those of the wrapper or of a
/// modifier.
struct LiveMachine: Equatable {
  /// The source of a request.
  enum Asker: Equatable {
    /// The property wrapper.
    case wrapper
    /// A modifier, which knows the state of the view. After its request, those of the wrapper are
    /// ignored.
    case modifier
  }

  /// The next action.
  enum Step: Equatable {
    case nothing
    /// Tell the object what to observe.
    case tell
    /// Make the object show nothing, and forget the request.
    case forget
  }

  private var hasModifier = false
  private var hasQuery = false
  private var hadOptions = false

  /// Whether the wrapper names something that is ignored.
  var isNamedTwice: Bool { hasModifier && hasQuery }

  /// A request came.
  mutating func asked(by asker: Asker) -> Step {
    switch asker {
    case .modifier: hasModifier = true
    case .wrapper: hasQuery = true
    }
    return asker == .wrapper && hasModifier ? .nothing : .tell
  }

  /// The wrapper names nothing to observe.
  mutating func namedNothing() -> Step {
    defer { hasQuery = false }
    return hasQuery && !hasModifier ? .forget : .nothing
  }

  /// The wrapper has options of its own, or none.
  ///
  /// - Returns: Whether it had options, and has none any more.
  mutating func named(options areNamed: Bool) -> Bool {
    defer { hadOptions = hadOptions || areNamed }
    return hadOptions && !areNamed
  }
}
