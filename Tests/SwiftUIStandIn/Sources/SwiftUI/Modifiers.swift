// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@MainActor @preconcurrency
public protocol ViewModifier {
  associatedtype Body: View
  typealias Content = ViewModifierContent<Self>
  @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
}

public struct ViewModifierContent<Modifier>: View, Primitive {
  let view: any View
  func pieces(_ node: Node) -> [Piece] { [Piece(key: 0, view: view)] }
}

public struct ModifiedContent<Content: View, Modifier>: View, Primitive {
  let content: Content
  let modifier: Modifier

  func pieces(_ node: Node) -> [Piece] {
    if let hook = modifier as? Hook { return hook.apply(node, content) }
    guard let modifier = modifier as? any ViewModifier else { return [] }
    return modifier.pieces(node, content)
  }

  func updateAlone(_ node: Node) { (modifier as? any ViewModifier)?.updateAlone(node) }
}

extension ViewModifier {
  @MainActor
  func pieces(_ node: Node, _ content: any View) -> [Piece] {
    let content = ViewModifierContent<Self>(view: content)
    node.host.rehearse {
      var modifier = self
      install(node, in: &modifier)
      _ = modifier.body(content: content)
    }
    var modifier = self
    install(node, in: &modifier)
    node.host.count(Self.self)
    return [Piece(key: 0, view: modifier.body(content: content))]
  }

  @MainActor
  func updateAlone(_ node: Node) {
    var modifier = self
    install(node, in: &modifier)
  }
}

/// A modifier without a body: a function that makes the views below a node at each evaluation of the node.
@MainActor
struct Hook {
  let apply: @MainActor (Node, any View) -> [Piece]
}

extension View {
  public func modifier<M: ViewModifier>(_ modifier: M) -> some View {
    ModifiedContent(content: self, modifier: modifier)
  }

  public func id(_ id: some Hashable) -> some View {
    Identified(content: self, id: AnyHashable(id))
  }

  func hook(_ body: @escaping @MainActor (Node) -> Void) -> some View {
    ModifiedContent(
      content: self,
      modifier: Hook { node, view in
        body(node)
        return [Piece(key: 0, view: view)]
      }
    )
  }

  public func onAppear(perform action: (() -> Void)? = nil) -> some View {
    hook { $0.onAppear = action }
  }

  public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
    hook { $0.onDisappear = action }
  }

  public func environment<V>(
    _ path: WritableKeyPath<EnvironmentValues, V>,
    _ value: V
  ) -> some View {
    scoped { $0[keyPath: path] = value }
  }

  public func transformEnvironment<V>(
    _ path: WritableKeyPath<EnvironmentValues, V>,
    transform: @escaping (inout V) -> Void
  ) -> some View {
    scoped { transform(&$0[keyPath: path]) }
  }

  private func scoped(_ change: @escaping (inout EnvironmentValues) -> Void) -> some View {
    ModifiedContent(
      content: self,
      modifier: Hook { node, view in
        var values = node.environment
        change(&values)
        return [Piece(key: 0, view: view, environment: values)]
      }
    )
  }

  public func refreshable(action: @escaping @Sendable () async -> Void) -> some View {
    environment(\.refresh, RefreshAction(action: action))
  }

  // A modifier that changes nothing on `Host.screen`, so here it does nothing.
  public func padding() -> some View { self }

  public func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> some View {
    task(id: 0, priority: priority, action)
  }

  public func task<ID: Equatable>(
    id: ID,
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> some View {
    let action = Box(action)
    return hook { node in
      let former = node.memory[ObjectIdentifier(ID.self)] as? ID
      node.memory[ObjectIdentifier(ID.self)] = id
      node.start = { [weak node] in
        node?.task?.cancel()
        node?.task = Task(priority: priority) { @MainActor in await action.value() }
      }
      // The first task starts when the view appears.
      guard let former, former != id else { return }
      node.host.afterwards { [weak node] in node?.start?() }
    }
  }

  public func onChange<V: Equatable>(
    of value: V,
    initial: Bool = false,
    _ action: @escaping (_ old: V, _ new: V) -> Void
  ) -> some View {
    hook { node in
      let former = node.memory[ObjectIdentifier(V.self)] as? V
      node.memory[ObjectIdentifier(V.self)] = value
      guard former.map({ $0 != value }) ?? initial else { return }
      node.host.afterwards { action(former ?? value, value) }
    }
  }

  public func onChange<V: Equatable>(
    of value: V,
    initial: Bool = false,
    _ action: @escaping () -> Void
  ) -> some View {
    onChange(of: value, initial: initial) { _, _ in action() }
  }
}
