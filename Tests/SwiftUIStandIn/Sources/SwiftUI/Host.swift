// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Mounts a view, draws it again when what it read changes, and unmounts it.
///
/// Only the stand-in has it. Drawing again is a job of the main actor, so a test moves it by its
/// simulation.
@MainActor
public final class Host {
  /// What Apple does not document.
  ///
  /// Code must be right with each.
  public struct Behaviour: Hashable, Sendable, CustomStringConvertible {
    /// What `onAppear` and `onDisappear` tell of a view that makes several views, or none.
    public enum Appearance: CaseIterable, Sendable {
      /// The view itself, whatever it makes.
      case once
      /// Each of the views that it makes.
      case eachChild
      /// The first of the views that it makes, and the end of the last.
      case byCount
    }

    /// Whether the state of removed views lives until the end.
    public var freesStateLate = false
    /// Whether the body of a view is not evaluated if the parent made an equal value.
    public var skipsEqualViews = false
    /// Whether a view appears before its children.
    public var outermostAppearsFirst = false
    /// What appears.
    public var appearance = Appearance.once
    /// Whether what is new appears before what is removed disappears.
    public var newAppearsFirst = false
    /// Whether what an animated change removes disappears when the animation is over.
    public var removalsTakeTime = false
    /// Whether hidden views are drawn when what they read changes, and not only when they are shown.
    public var drawsHidden = true
    /// Whether each body is evaluated twice, and the first result is dropped.
    public var evaluatesTwice = false
    /// Whether dynamic properties are updated at other times than before a body.
    public var updatesAlone = false

    /// Creates one.
    public init(
      freesStateLate: Bool,
      skipsEqualViews: Bool,
      outermostAppearsFirst: Bool,
      appearance: Appearance,
      newAppearsFirst: Bool,
      removalsTakeTime: Bool
    ) {
      self.freesStateLate = freesStateLate
      self.skipsEqualViews = skipsEqualViews
      self.outermostAppearsFirst = outermostAppearsFirst
      self.appearance = appearance
      self.newAppearsFirst = newAppearsFirst
      self.removalsTakeTime = removalsTakeTime
    }

    /// All that is possible.
    public static let all: [Self] = Appearance.allCases.flatMap { appearance in
      (0..<32).map {
        Self(
          freesStateLate: $0 & 1 != 0,
          skipsEqualViews: $0 & 2 != 0,
          outermostAppearsFirst: $0 & 4 != 0,
          appearance: appearance,
          newAppearsFirst: $0 & 8 != 0,
          removalsTakeTime: $0 & 16 != 0
        )
      }
    }

    /// What few tests need: each of ``all`` with one or several of the last three.
    public static let further: [Self] = all.enumerated().map { index, usual in
      var behaviour = usual
      let kind = (index + 1) % 5
      behaviour.drawsHidden = kind == 2 || kind == 3
      behaviour.evaluatesTwice = kind != 1 && kind != 3
      behaviour.updatesAlone = kind != 1 && kind != 2
      return behaviour
    }

    /// Whether it belongs to the quarter of ``all`` that has each combination of any three of its six facts.
    public var isOfQuarter: Bool {
      let place = Appearance.allCases.firstIndex(of: appearance)
      return ((freesStateLate != skipsEqualViews) != newAppearsFirst) == (place == 1)
        && ((freesStateLate != outermostAppearsFirst) != removalsTakeTime) == (place == 2)
    }

    public var description: String {
      [
        freesStateLate ? "late" : "soon", skipsEqualViews ? "skipping" : "eager",
        outermostAppearsFirst ? "outermost first" : "innermost first", "\(appearance)",
        newAppearsFirst ? "new first" : "old first",
        removalsTakeTime ? "removed late" : "removed at once",
        drawsHidden ? "hidden drawn" : "hidden not drawn", evaluatesTwice ? "twice" : "once",
        updatesAlone ? "updates alone" : "updates with bodies",
      ].joined(separator: ", ")
    }
  }

  /// Whether a body is evaluated whose result is dropped.
  public private(set) static var isDropping = false

  let behaviour: Behaviour
  private(set) var root: Node?
  /// The views to draw again, by the transactions of what changed, in their order.
  private var dirty: [(transaction: Transaction, nodes: [Node])] = []
  private var isScheduled = false
  private var actions: [@MainActor () -> Void] = []
  /// Of what has disappeared, where that is told last.
  private var farewells: [() -> Void] = []
  /// What is left to do when the animations are over.
  private var animated: [() -> Void] = []
  private var counts: [ObjectIdentifier: Int] = [:]
  private var removed: [Node] = []
  /// How many frames were shown.
  public private(set) var frames = 0

  /// Mounts a view.
  public init(_ view: some View, behaviour: Behaviour) {
    self.behaviour = behaviour
    let node = Node(self, nil, view, EnvironmentValues())
    root = node
    node.evaluate()
    node.show(true)
    commit()
  }

  func schedule(_ node: Node) {
    let transaction = Transaction.current
    if let index = dirty.firstIndex(where: { $0.transaction.isSame(as: transaction) }) {
      dirty[index].nodes.append(node)
    } else {
      dirty.append((transaction, [node]))
    }
    guard !isScheduled else { return }
    isScheduled = true
    Task { @MainActor [weak self] in self?.flush() }
  }

  private func flush() {
    isScheduled = false
    let changes = dirty
    dirty = []
    for (transaction, nodes) in changes {
      withTransaction(transaction) {
        for node in nodes.sorted(by: { $0.depth < $1.depth }) { node.evaluateIfDirty() }
      }
    }
    if behaviour.updatesAlone { root?.walk { $0.updateAlone() } }
    commit()
  }

  /// Evaluates a body before the time that counts, where that is done twice.
  func rehearse(_ body: () -> Void) {
    guard behaviour.evaluatesTwice else { return }
    Self.isDropping = true
    body()
    Self.isDropping = false
  }

  private func commit() {
    frames += 1
    while !actions.isEmpty || !farewells.isEmpty {
      if actions.isEmpty {
        let now = farewells
        farewells = []
        for action in now { action() }
      } else {
        let now = actions
        actions = []
        for action in now { action() }
      }
    }
  }

  /// Says that something is not shown any more.
  func farewell(_ action: @escaping () -> Void) {
    if behaviour.newAppearsFirst { farewells.append(action) } else { action() }
  }

  /// A view is removed, in the present transaction.
  func remove(_ action: @escaping () -> Void) {
    if behaviour.removalsTakeTime, Transaction.current.animation != nil {
      animated.append(action)
    } else {
      action()
    }
  }

  /// Lets all animations be over.
  ///
  /// - Returns: Whether there were any that have removed something.
  @discardableResult
  public func endAnimations() -> Bool {
    guard !animated.isEmpty else { return false }
    let now = animated
    animated = []
    for action in now { action() }
    commit()
    return true
  }

  func afterwards(_ action: @escaping @MainActor () -> Void) { actions.append(action) }

  func count(_ type: any Any.Type) { counts[ObjectIdentifier(type), default: 0] += 1 }

  func keep(_ node: Node) { removed.append(node) }

  /// How often bodies of a view or modifier were evaluated.
  public func renders(of type: any Any.Type) -> Int { counts[ObjectIdentifier(type)] ?? 0 }

  /// Frees the state of removed views, where that was put off.
  public func freeRemoved() {
    for node in removed { node.free() }
    removed = []
  }

  /// Removes the view.
  public func unmount() {
    endAnimations()
    root?.remove()
    root = nil
    commit()
    freeRemoved()
  }
}
