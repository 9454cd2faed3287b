/// A count that takes half a word: there are many in every entry, and entries are many.
///
/// It wraps beyond two thousand million, where nobody counts by hand; nothing traps.
@propertyWrapper
struct SmallCount: Hashable, Sendable {
  private var stored: Int32

  init(wrappedValue: Int) {
    stored = Int32(truncatingIfNeeded: wrappedValue)
  }

  var wrappedValue: Int {
    get { Int(stored) }
    set { stored = Int32(truncatingIfNeeded: newValue) }
  }
}
