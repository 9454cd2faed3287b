// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// An animation; the stand-in compares animations, and runs none.
public struct Animation: Equatable, Sendable {
  private let name: String
  private let duration: Double

  public static let `default` = Animation(name: "default", duration: 0.35)
  public static func linear(duration: Double) -> Self { Self(name: "linear", duration: duration) }
  public static func easeInOut(duration: Double) -> Self { Self(name: "ease", duration: duration) }
}

/// The context of a change, and of the update that it leads to.
public struct Transaction {
  public var animation: Animation?
  public var disablesAnimations = false

  public init() {}
  public init(animation: Animation?) { self.animation = animation }

  /// The transaction of the change or the update that runs now.
  @MainActor static var current = Transaction()

  func isSame(as other: Self) -> Bool {
    animation == other.animation && disablesAnimations == other.disablesAnimations
  }
}

// SwiftUI's transaction is not `Sendable`, either.
@available(*, unavailable)
extension Transaction: Sendable {}

public func withTransaction<Result>(
  _ transaction: Transaction,
  _ body: () throws -> Result
) rethrows -> Result {
  let new = Box(transaction)
  let outer = MainActor.assumeIsolated {
    defer { Transaction.current = new.value }
    return Box(Transaction.current)
  }
  defer { MainActor.assumeIsolated { Transaction.current = outer.value } }
  return try body()
}

public func withAnimation<Result>(
  _ animation: Animation? = .default,
  _ body: () throws -> Result
) rethrows -> Result {
  try withTransaction(Transaction(animation: animation), body)
}

extension View {
  /// Calls a closure at each update of this view; the view is updated in the transaction that it has changed.
  public func transaction(_ transform: @escaping (inout Transaction) -> Void) -> some View {
    ModifiedContent(
      content: self,
      modifier: Hook { _, view in
        var transaction = Transaction.current
        transform(&transaction)
        return [Piece(key: 0, view: view, transaction: transaction)]
      }
    )
  }

  /// Animates each update of this view in which the value differs from that of the update before.
  public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View {
    ModifiedContent(
      content: self,
      modifier: Hook { node, view in
        let former = node.memory[ObjectIdentifier(V.self)] as? V
        node.memory[ObjectIdentifier(V.self)] = value
        var transaction = Transaction.current
        if let former, former != value { transaction.animation = animation }
        return [Piece(key: 0, view: view, transaction: transaction)]
      }
    )
  }
}
