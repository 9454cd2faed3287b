// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Mounts a view, draws it again when what it read changes, and unmounts it.
///
/// SwiftUI has no such type. Drawing again is a job of the main actor, so a test's simulation runs it.
@MainActor
public final class Host {
  /// A combination of behaviours that Apple does not document; the library must work with each combination.
  public struct Behaviour: Hashable, Sendable, CustomStringConvertible {
    /// The reports of `onAppear` and `onDisappear` about content that consists of several views, or of none.
    public enum Appearance: CaseIterable, Sendable {
      /// One report about the content as a whole, whatever it consists of.
      case once
      /// A report about each view of the content.
      case eachChild
      /// A report when the first view of the content appears, and one when the last view disappears.
      case byCount
    }

    /// Whether the state of removed views lives until ``Host/freeRemoved()``.
    public var freesStateLate = false
    /// Whether the body of a view is skipped if the parent has made an equal value for the view.
    public var skipsEqualViews = false
    /// Whether a view appears before its children.
    public var outermostAppearsFirst = false
    /// The reports about content of several views, or of none.
    public var appearance = Appearance.once
    /// Whether new views appear before removed views disappear.
    public var newAppearsFirst = false
    /// Whether a view that an animated change removes disappears only when the animation is over.
    public var removalsTakeTime = false
    /// Whether a hidden view is drawn as soon as a value that it has read changes; if not, when it is shown.
    public var drawsHidden = true
    /// Whether each body is evaluated twice, and the first result is dropped.
    public var evaluatesTwice = false
    /// Whether dynamic properties are also updated when no body is evaluated.
    public var updatesAlone = false

    /// Creates a behaviour in which the last three properties have their default values.
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

    /// All combinations of the first six properties.
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

    /// The behaviours that few tests need: those of ``all``, with changes of the last three properties.
    public static let further: [Self] = all.enumerated().map { index, usual in
      var behaviour = usual
      let kind = (index + 1) % 5
      behaviour.drawsHidden = kind == 2 || kind == 3
      behaviour.evaluatesTwice = kind != 1 && kind != 3
      behaviour.updatesAlone = kind != 1 && kind != 2
      return behaviour
    }

    /// Whether the behaviour belongs to a certain quarter of ``all``.
    ///
    /// In that quarter, any three of the six properties have all combinations of their values.
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

  /// Whether a body is being evaluated whose result is dropped; see ``Behaviour/evaluatesTwice``.
  public private(set) static var isDropping = false

  let behaviour: Behaviour
  private(set) var root: Node?
  /// The views to draw again, by the transactions of the changes, in the order of the changes.
  private var dirty: [(transaction: Transaction, nodes: [Node])] = []
  private var isScheduled = false
  private var actions: [@MainActor () -> Void] = []
  /// The reports of disappearances that wait for those of appearances; see ``Behaviour/newAppearsFirst``.
  private var farewells: [() -> Void] = []
  /// The removals to finish when the animations are over.
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

  /// If bodies are evaluated twice, evaluates a body for the first time; the result is dropped.
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

  /// Reports that a view has disappeared: at once, or after the reports of appearances.
  func farewell(_ action: @escaping () -> Void) {
    if behaviour.newAppearsFirst { farewells.append(action) } else { action() }
  }

  /// Finishes the removal of a view: at once, or after the animation of the present transaction.
  func remove(_ action: @escaping () -> Void) {
    if behaviour.removalsTakeTime, Transaction.current.animation != nil {
      animated.append(action)
    } else {
      action()
    }
  }

  /// Ends all animations.
  ///
  /// - Returns: Whether any of them has removed a view.
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

  /// Frees the state of removed views that is still retained; see ``Behaviour/freesStateLate``.
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
