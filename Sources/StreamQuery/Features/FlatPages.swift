import Synchronization

/// The pages and parameters of a ``Pages`` value as plain arrays: made on first access, then kept.
///
/// Copies of the ``Pages`` value share the object; a copy that changes gets a new one. Arrays are made
/// outside the lock, because copying and releasing pages may run user code.
///
/// The class has no generic parameters, so that all ``Pages`` types have the same layout: see ``PageBox``.
final class FlatPages: Sendable {
  private let pages = Mutex<ValueBox?>(nil)
  private let params = Mutex<ValueBox?>(nil)

  /// The pages, in order.
  ///
  /// - Parameter make: Makes the array; its type must be the same in each call.
  /// - Returns: The first array that was made.
  func pages<Page: Sendable>(_ make: () -> [Page]) -> [Page] {
    Self.elements(keptIn: pages, make)
  }

  /// The parameters of the pages, in order.
  ///
  /// - Parameter make: Makes the array; its type must be the same in each call.
  /// - Returns: The first array that was made.
  func params<PageParam: Sendable>(_ make: () -> [PageParam]) -> [PageParam] {
    Self.elements(keptIn: params, make)
  }

  private static func elements<Element: Sendable>(
    keptIn kept: borrowing Mutex<ValueBox?>,
    _ make: () -> [Element]
  ) -> [Element] {
    if let known = kept.withLock({ $0 }) { return known.value(as: [Element].self) }
    let made = TypedBox(make())
    let first = kept.withLock { present -> ValueBox in
      // Two concurrent readers get the same array.
      if let present { return present }
      present = made
      return made
    }
    return first.value(as: [Element].self)
  }
}
