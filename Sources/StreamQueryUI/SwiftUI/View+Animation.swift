#if canImport(SwiftUI)
public import SwiftUI

extension View {
  /// Animates changes that arrive for the queries and mutations of this view and of all views in it.
  ///
  /// ```swift
  /// FeedView().queryAnimation(.default)
  /// ```
  ///
  /// The first frame is not animated, nor is what shows at once: cached data of another key, or
  /// the beginning of a mutation. Animate these where they come from, by `withAnimation`.
  ///
  /// - Parameter animation: The animation; `nil` for none. That of a property wrapper goes before it.
  /// - Returns: The view.
  public func queryAnimation(_ animation: Animation?) -> some View {
    queryTransaction(Transaction(animation: animation))
  }

  /// Applies changes that arrive for the queries and mutations of this view in a transaction; see
  /// `queryAnimation(_:)`.
  ///
  /// - Parameter transaction: The transaction.
  /// - Returns: The view.
  public func queryTransaction(_ transaction: Transaction) -> some View {
    modifier(ContextModifier(transaction))
  }
}

struct ContextModifier: ViewModifier {
  private let property: ContextProperty

  init(_ transaction: Transaction) { property = ContextProperty(transaction) }

  func body(content: Content) -> some View {
    content.transformEnvironment(\.surroundings) { [context = property.context] in
      $0.context = context
    }
  }
}

/// Replaces the context when SwiftUI updates the modifier that it belongs to.
@MainActor
private struct ContextProperty: DynamicProperty {
  @StateObject var context: SharedContext
  private let transaction: Transaction

  init(_ transaction: Transaction) {
    _context = StateObject(wrappedValue: SharedContext())
    self.transaction = transaction
  }

  nonisolated func update() {
    ViewUpdate.run { context.apply = transaction.changeContext }
  }
}

extension Transaction {
  @MainActor var changeContext: ChangeContext { { withTransaction(self, $0) } }
}

extension Animation {
  @MainActor var changeContext: ChangeContext { Transaction(animation: self).changeContext }
}
#endif
