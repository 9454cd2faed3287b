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
  /// As the parent made it: nothing is installed in it.
  var view: any View
  var environment: EnvironmentValues
  private(set) var keys: [AnyHashable] = []
  private(set) var children: [AnyHashable: Node] = [:]
  /// What the dynamic properties of the view keep, by their place in it.
  var slots: [Int: AnyObject] = [:]
  /// What a modifier keeps.
  var memory: [ObjectIdentifier: Any] = [:]
  var onAppear: (() -> Void)?
  var onDisappear: (() -> Void)?
  /// How many of the views that it makes have appeared.
  private var appearedCount = 0
  /// Whether those around it were told of it.
  private var isAnnounced = false
  /// Starts the task of `task(id:)`.
  var start: (() -> Void)?
  var task: Task<Void, Never>?
  /// The destinations of a navigation stack, by the type of their values.
  var destinations: [ObjectIdentifier: (AnyHashable) -> any View] = [:]
  private var isDirty = false
  private(set) var isGone = false
  /// Whether it is no part of the view that it belongs to, but above it: a sheet.
  private var isApart = false
  /// Whether it is on the screen, and not below another one.
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

  /// Something that the body has read is about to change.
  func invalidate() {
    guard !isDirty, !isGone else { return }
    isDirty = true
    host.schedule(self)
  }

  func evaluateIfDirty() { if isDirty, !isGone { evaluate(soon: isShown) } }

  /// Evaluates it, unless it is hidden and that is put off.
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
      // What views read changes on the main actor.
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

  /// Whether it is on the screen from now on.
  func show(_ isShown: Bool) {
    guard isShown != self.isShown || isShown && !hasAppeared else { return }
    self.isShown = isShown
    if isShown {
      hasAppeared = true
      if host.behaviour.outermostAppearsFirst { host.afterwards { [weak self] in self?.appear() } }
      // What was put off.
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
        // Now, because it may be freed with this one.
        let action = node.onDisappear
        host.farewell { node.childDisappeared(action) }
      }
    }
  }

  /// Those around it that are told of it: up to the next view that appears itself.
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
  /// Whether its appearance is none of the view that it belongs to.
  var isApart = false
  /// In which it is updated, if not in that of its parent.
  var transaction: Transaction?
}

/// A view without a body: says what is below it.
@MainActor
protocol Primitive {
  func pieces(_ node: Node) -> [Piece]
  /// Updates its dynamic properties, if it has any.
  func updateAlone(_ node: Node)
}
extension Primitive {
  func updateAlone(_ node: Node) {}
}

/// A view that is seen, or lays out what is below it: it appears itself.
///
/// All others only make such views.
protocol Opaque {}
