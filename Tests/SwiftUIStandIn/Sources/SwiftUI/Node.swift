// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

internal import Observation

/// A view at a place in the tree, for as long as its identity lasts.
///
/// The identity of a view is its place below its parent, its type, and the ids of `ForEach` and
/// `id(_:)` on the way. State belongs to the node, not to the view's value, which is made anew at
/// each update of the parent.
@MainActor
final class Node {
  /// The node whose body runs.
  static var evaluating: Node?

  unowned let host: Host
  private(set) weak var parent: Node?
  let depth: Int
  /// The view's value as the parent made it; its dynamic properties are installed in copies only.
  var view: any View
  var environment: EnvironmentValues
  private(set) var keys: [AnyHashable] = []
  private(set) var children: [AnyHashable: Node] = [:]
  /// The storage of the view's dynamic properties, by the offsets of the properties in the view's value.
  var slots: [Int: AnyObject] = [:]
  /// The values that a modifier such as `onChange(of:)` compares with those of its next evaluation, by type.
  var memory: [ObjectIdentifier: Any] = [:]
  var onAppear: (() -> Void)?
  var onDisappear: (() -> Void)?
  /// The number of views below this one that have appeared.
  private var appearedCount = 0
  /// Whether this view's appearance was reported to its ``tellers``.
  private var isAnnounced = false
  /// Starts the task of `task(id:)`.
  var start: (() -> Void)?
  var task: Task<Void, Never>?
  /// The destinations of a navigation stack, by the type of their values.
  var destinations: [ObjectIdentifier: (AnyHashable) -> any View] = [:]
  private var isDirty = false
  private(set) var isGone = false
  /// Whether the view lies above its parent, as a sheet does, so that it does not appear with the parent.
  private var isApart = false
  /// Whether the view is on the topmost screen of each navigation stack around it.
  private(set) var isShown = false
  private var hasAppeared = false
  private var run = 0

  init(_ host: Host, _ parent: Node?, _ view: any View, _ environment: EnvironmentValues) {
    self.host = host
    self.parent = parent
    self.view = view
    self.environment = environment
    depth = (parent?.depth ?? 0) + 1
  }

  /// Schedules an evaluation, because a value that the body has read is about to change.
  func invalidate() {
    guard !isDirty, !isGone else { return }
    isDirty = true
    host.schedule(self)
  }

  func evaluateIfDirty() { if isDirty, !isGone { evaluate(soon: isShown) } }

  /// Evaluates the view; if it is hidden and the host does not draw hidden views, does so when it is shown.
  private func evaluate(soon isShown: Bool) {
    if isShown || host.behaviour.drawsHidden || run == 0 { evaluate() } else { isDirty = true }
  }

  /// Updates the dynamic properties, and evaluates no body.
  func updateAlone() {
    guard !isGone else { return }
    if let view = view as? any Primitive { return view.updateAlone(self) }
    func update<V: View>(_ view: V) {
      var view = view
      install(self, in: &view)
    }
    update(view)
  }

  func evaluate() {
    isDirty = false
    run += 1
    let thisRun = run
    let outer = Self.evaluating
    Self.evaluating = self
    let pieces = withObservationTracking {
      produce(view)
    } onChange: { [weak self] in
      // The values that views read change on the main actor.
      MainActor.assumeIsolated { if self?.run == thisRun { self?.invalidate() } }
    }
    Self.evaluating = outer
    reconcile(pieces)
  }

  private func produce<V: View>(_ view: V) -> [Piece] {
    if let view = view as? any Primitive { return view.pieces(self) }
    host.rehearse {
      var view = view
      install(self, in: &view)
      _ = view.body
    }
    var view = view
    install(self, in: &view)
    host.count(V.self)
    return [Piece(key: 0, view: view.body)]
  }

  private func reconcile(_ pieces: [Piece]) {
    var old = children
    let former = keys
    var kept: [(node: Node, isSame: Bool)] = []
    keys = []
    children = [:]
    for piece in pieces {
      let environment = piece.environment ?? self.environment
      let node: Node
      if let former = old[piece.key], type(of: former.view) == type(of: piece.view) {
        old[piece.key] = nil
        node = former
        let isSame =
          host.behaviour.skipsEqualViews && !node.isDirty
          && node.environment.isSame(as: environment) && SwiftUI.isSame(node.view, piece.view)
        node.view = piece.view
        node.environment = environment
        kept.append((node, isSame))
      } else {
        node = Node(host, self, piece.view, environment)
        kept.append((node, false))
      }
      node.isApart = piece.isApart
      children[piece.key] = node
      keys.append(piece.key)
    }
    for key in former { old[key]?.remove() }
    for ((node, isSame), piece) in zip(kept, pieces) {
      let isShown = isShown && !piece.isHidden
      if !isSame {
        withTransaction(piece.transaction ?? Transaction.current) { node.evaluate(soon: isShown) }
      } else if host.behaviour.updatesAlone {
        node.updateAlone()
      }
      node.show(isShown)
    }
  }

  /// Shows or hides the view and the views below it, and reports their appearance or disappearance.
  func show(_ isShown: Bool) {
    guard isShown != self.isShown || isShown && !hasAppeared else { return }
    self.isShown = isShown
    if isShown {
      hasAppeared = true
      if host.behaviour.outermostAppearsFirst { host.afterwards { [weak self] in self?.appear() } }
      // The view has to be evaluated now if it changed while it was hidden.
      if !host.behaviour.drawsHidden, isDirty, !isGone { evaluate() }
    }
    for key in keys { children[key]?.show(isShown) }
    if !isShown {
      disappear()
    } else if !host.behaviour.outermostAppearsFirst {
      host.afterwards { [weak self] in self?.appear() }
    }
  }

  private func appear() {
    guard isShown, !isGone else { return }
    if host.behaviour.appearance == .once {
      onAppear?()
    } else if view is any Opaque, !isAnnounced {
      isAnnounced = true
      for node in tellers { node.childAppeared() }
    }
    start?()
  }

  private func disappear() {
    task?.cancel()
    task = nil
    if host.behaviour.appearance == .once {
      if let onDisappear { host.farewell(onDisappear) }
    } else if isAnnounced {
      isAnnounced = false
      for node in tellers {
        // The action is read now, because that node may be freed together with this one.
        let action = node.onDisappear
        host.farewell { node.childDisappeared(action) }
      }
    }
  }

  /// The nodes around this one to which its appearance is reported: up to the next ``Opaque`` view.
  private var tellers: [Node] {
    var nodes: [Node] = []
    var next = isApart ? nil : parent
    while let node = next, !(node.view is any Opaque) {
      nodes.append(node)
      next = node.isApart ? nil : node.parent
    }
    return host.behaviour.outermostAppearsFirst ? nodes.reversed() : nodes
  }

  private func childAppeared() {
    appearedCount += 1
    if host.behaviour.appearance == .eachChild || appearedCount == 1 { onAppear?() }
  }

  private func childDisappeared(_ action: (() -> Void)?) {
    appearedCount -= 1
    if host.behaviour.appearance == .eachChild || appearedCount == 0 { (onDisappear ?? action)?() }
  }

  func remove() {
    leave()
    host.remove { self.end() }
  }

  private func leave() {
    isGone = true
    for key in keys { children[key]?.leave() }
  }

  private func end() {
    for key in keys { children[key]?.end() }
    if isShown { disappear() }
    isShown = false
    if host.behaviour.freesStateLate { host.keep(self) } else { free() }
  }

  func free() {
    for key in keys { children[key]?.free() }
    children = [:]
    keys = []
    slots = [:]
    memory = [:]
    (onAppear, onDisappear, start) = (nil, nil, nil)
    view = EmptyView()
  }

  /// The nearest navigation stack around it.
  var stack: Node? {
    var node = parent
    while let next = node, !next.isStack { node = next.parent }
    return node
  }
  var isStack = false

  func walk(_ visit: (Node) -> Void) {
    visit(self)
    for key in keys { children[key]?.walk(visit) }
  }
}

/// A view below another one.
struct Piece {
  var key: AnyHashable
  var view: any View
  var environment: EnvironmentValues?
  var isHidden = false
  /// Whether the view lies above its parent, as a sheet does, so that it does not appear with the parent.
  var isApart = false
  /// The transaction in which the view is updated; `nil` for that of its parent.
  var transaction: Transaction?
}

/// A view without a body, which itself returns the views below it.
@MainActor
protocol Primitive {
  func pieces(_ node: Node) -> [Piece]
  /// Updates its dynamic properties, if it has any.
  func updateAlone(_ node: Node)
}
extension Primitive {
  func updateAlone(_ node: Node) {}
}

/// A view that is visible or lays out other views, so that it has an appearance of its own.
///
/// Any other view only contains such views.
protocol Opaque {}
