/// Decides whom the object of a property wrapper listens to: the wrapper itself, or a modifier.
struct LiveMachine: Equatable {
  /// The one that asks.
  enum Asker: Equatable {
    /// The property wrapper.
    case wrapper
    /// A modifier, which knows more: the wrapper is not heard any more.
    case modifier
  }

  /// The action that follows.
  enum Step: Equatable {
    case nothing
    /// Tell the object what is asked for.
    case tell
    /// Let the object show nothing, and forget what it was told.
    case forget
  }

  private var hasModifier = false
  private var hasQuery = false
  private var hadOptions = false

  /// Whether the wrapper names something that is not heard.
  var isNamedTwice: Bool { hasModifier && hasQuery }

  /// Something was asked for.
  mutating func asked(by asker: Asker) -> Step {
    switch asker {
    case .modifier: hasModifier = true
    case .wrapper: hasQuery = true
    }
    return asker == .wrapper && hasModifier ? .nothing : .tell
  }

  /// The wrapper names nothing.
  mutating func namedNothing() -> Step {
    defer { hasQuery = false }
    return hasQuery && !hasModifier ? .forget : .nothing
  }

  /// The wrapper has options of its own, or none.
  ///
  /// - Returns: Whether it had some, and has none any more.
  mutating func named(options areNamed: Bool) -> Bool {
    defer { hadOptions = hadOptions || areNamed }
    return hadOptions && !areNamed
  }
}
