/// Decides which request the object of a property wrapper follows: that of the wrapper, or that of a
/// modifier.
struct LiveMachine: Equatable {
  /// The source of a request to observe something.
  enum Asker: Equatable {
    /// The property wrapper.
    case wrapper
    /// A modifier, which knows the state of the view. After its first request, requests of the wrapper are
    /// ignored.
    case modifier
  }

  /// The action that follows from a request.
  enum Step: Equatable {
    case nothing
    /// Tell the object what to observe.
    case tell
    /// Make the object show nothing, and drop the request.
    case forget
  }

  /// The sources that say which query to observe.
  private var askers: Set<Asker> = []
  private var hadOptions = false

  /// Whether both the property wrapper and a view modifier say which query to observe; the modifier wins.
  var isNamedTwice: Bool { askers.count == 2 }

  /// Notes that the wrapper or a modifier requests what to observe.
  mutating func asked(by asker: Asker) -> Step {
    askers.insert(asker)
    return asker == .wrapper && askers.contains(.modifier) ? .nothing : .tell
  }

  /// Notes that the wrapper names nothing to observe.
  mutating func namedNothing() -> Step {
    askers.remove(.wrapper) != nil && askers.isEmpty ? .forget : .nothing
  }

  /// Notes whether the wrapper has options of its own.
  ///
  /// - Returns: Whether it had options before, and has none any more.
  mutating func named(options areNamed: Bool) -> Bool {
    defer { hadOptions = hadOptions || areNamed }
    return hadOptions && !areNamed
  }
}
