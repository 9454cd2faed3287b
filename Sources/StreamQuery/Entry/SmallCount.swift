/// A count that takes half a word, because every entry has many of them and there are many entries.
///
/// It wraps above two thousand million, which no real count reaches; nothing traps.
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
