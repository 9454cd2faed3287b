#if canImport(SwiftUI)
public import SwiftUI

extension View {
  /// Animates arriving changes of the queries and mutations in this view.
  ///
  /// ```swift
  /// FeedView().queryAnimation(.default)
  /// ```
  ///
  /// The modifier animates neither the first frame nor changes that show at once: cached data of another key,
  /// or the beginning of a mutation. Animate these with `withAnimation` where they are made.
  ///
  /// - Parameter animation: The animation; `nil` means none. The animation of a property wrapper takes
  ///   precedence.
  /// - Returns: The view.
  public func queryAnimation(_ animation: Animation?) -> some View {
    queryTransaction(Transaction(animation: animation))
  }

  /// Applies arriving changes of the queries and mutations in this view in a transaction; see
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
    content.transformEnvironment(\.queryEnvironment) { [context = property.context] in
      $0.context = context
    }
  }
}

/// Puts the newest transaction into the modifier's ``SharedContext``, at each update of the modifier.
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
