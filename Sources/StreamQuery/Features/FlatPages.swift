import Synchronization

/// The pages of one run as plain arrays: made on first access, then kept.
///
/// An object belongs to one state of a run. Copies of the run share the object, and a run that changes gets a
/// new one. Arrays are made outside the lock, because copying and releasing pages may run user code.
///
/// The class has no generic parameters, so that the layout of a run has none either: see ``PageBox``.
final class FlatPages: Sendable {
  private let pages = Mutex<ValueBox?>(nil)
  private let params = Mutex<ValueBox?>(nil)

  /// The pages, in order.
  ///
  /// - Parameter make: Makes the array; of the same type each time.
  /// - Returns: The first array that was made.
  func pages<Page: Sendable>(_ make: () -> [Page]) -> [Page] {
    Self.elements(keptIn: pages, make)
  }

  /// The parameters of the pages, in order.
  ///
  /// - Parameter make: Makes the array; of the same type each time.
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
