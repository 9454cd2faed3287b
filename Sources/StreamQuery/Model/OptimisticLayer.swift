/// One change over the data of one key.
final class OptimisticLayer: Sendable {
  let key: EntryKey
  let change: @Sendable (ValueBox?) -> ValueBox?

  init(_ key: EntryKey, change: @escaping @Sendable (ValueBox?) -> ValueBox?) {
    self.key = key
    self.change = change
  }
}
