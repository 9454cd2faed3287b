// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Shows the screen for the last value of its path; the screens below it are hidden and keep their state.
public struct NavigationStack<Value: Hashable, Root: View>: View, Primitive, Opaque {
  @MainActor let path: Binding<[Value]>
  private let root: Root

  public init(path: Binding<[Value]>, @ViewBuilder root: () -> Root) {
    self.path = path
    self.root = root()
  }

  func pieces(_ node: Node) -> [Piece] {
    node.isStack = true
    let values = path.wrappedValue
    let top = values.count
    return [Piece(key: 0, view: root, isHidden: top > 0)]
      + values.enumerated().map { index, value in
        Piece(key: index + 1, view: Destination(value: value), isHidden: index + 1 < top)
      }
  }
}

private struct Destination: View, Primitive {
  let value: AnyHashable
  func pieces(_ node: Node) -> [Piece] {
    guard let make = node.stack?.destinations[ObjectIdentifier(type(of: value.base))] else {
      return []
    }
    return [Piece(key: value, view: make(value))]
  }
}

extension View {
  public func navigationDestination<D: Hashable, C: View>(
    for data: D.Type,
    @ViewBuilder destination: @escaping (D) -> C
  ) -> some View {
    hook { node in
      node.stack?.destinations[ObjectIdentifier(D.self)] = { value in
        (value.base as? D).map { AnyView(destination($0)) } ?? AnyView(EmptyView())
      }
    }
  }

  /// Shows a sheet above this view, which still counts as shown.
  public func sheet<Content: View>(
    isPresented: Binding<Bool>,
    onDismiss: (() -> Void)? = nil,
    @ViewBuilder content: @escaping () -> Content
  ) -> some View {
    ModifiedContent(
      content: self,
      modifier: Hook { node, view in
        var pieces = [Piece(key: "below", view: view)]
        if isPresented.wrappedValue {
          pieces.append(Piece(key: "sheet", view: content(), isApart: true))
        }
        return pieces
      }
    )
  }
}
