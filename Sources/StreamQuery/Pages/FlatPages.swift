import Synchronization

/// The pages of one run as plain arrays: made when somebody asks, then kept for the next one.
///
/// It belongs to one state of a run and is shared by its copies; whoever changes a run takes a new
/// one. Arrays are made outside the lock: copying and releasing pages may run the user's code.
///
/// It knows no types, as a run's layout does not: see ``PageSheet``.
final class FlatPages: Sendable {
  private let pages = Mutex<ValueBox?>(nil)
  private let params = Mutex<ValueBox?>(nil)

  /// The pages, in order.
  ///
  /// - Parameter make: Makes the array; of the same type each time.
  /// - Returns: What was made first.
  func pages<Page: Sendable>(_ make: () -> [Page]) -> [Page] {
    Self.elements(keptIn: pages, make)
  }

  /// What the pages were fetched by, in order.
  ///
  /// - Parameter make: Makes the array; of the same type each time.
  /// - Returns: What was made first.
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
      // Two readers at once: both are given the same array.
      if let present { return present }
      present = made
      return made
    }
    return first.value(as: [Element].self)
  }
}
