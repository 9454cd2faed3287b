import Synchronization

/// The updates inside which the present code runs.
///
/// An update runs again until its answer is about the present data, so an update that wrote its own key each
/// time would never end. Such a write is reported and ignored.
final class UpdateChain: Sendable {
  private let key: EntryKey
  /// The other keys of the same transaction.
  private let others: Set<EntryKey>
  private let client: ObjectIdentifier
  private let parent: UpdateChain?
  /// Whether the update is over.
  ///
  /// Tasks that the update started inherit the chain, and may write once the update is over.
  private let isOver = Atomic(false)

  @TaskLocal static var current: UpdateChain?

  private init(_ key: EntryKey, _ others: Set<EntryKey>, of client: ObjectIdentifier) {
    self.key = key
    self.others = others
    self.client = client
    parent = UpdateChain.current
  }

  /// Runs the closure of an update.
  ///
  /// - Parameters:
  ///   - key: The key that is updated.
  ///   - others: The other keys of the same transaction.
  ///   - client: The client whose data is updated.
  ///   - body: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  static func run<Answer, Failure: Error>(
    _ key: EntryKey,
    _ others: Set<EntryKey> = [],
    of client: QueryClient,
    _ body: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    let chain = UpdateChain(key, others, of: ObjectIdentifier(client))
    let result = $current.withValue(chain) { Result { () throws(Failure) in try body() } }
    chain.isOver.store(true, ordering: .releasing)
    return try result.get()
  }

  /// Whether the present code runs inside an update of a key.
  static func isUpdating(_ key: EntryKey, of client: QueryClient) -> Bool {
    var link = current
    while let update = link {
      if update.client == ObjectIdentifier(client), !update.isOver.load(ordering: .acquiring),
        update.key == key || update.others.contains(key)
      {
        return true
      }
      link = update.parent
    }
    return false
  }
}

nonisolated extension QueryClient {
  /// Whether a write comes from inside an update of the same key; if so, this reports a misuse.
  func isUpdating(_ key: EntryKey) -> Bool {
    guard UpdateChain.isUpdating(key, of: self) else { return false }
    report(.writeInsideUpdate(key: key.key.description))
    return true
  }
}
