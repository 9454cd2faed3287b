/// How often an entry was found fresh without the cache's lock since receivers were told.
///
/// It holds a user's key: never release it under the lock.
final class EntryHits: Sendable {
  let key: AnyQueryKey
  let uses: EntryUses

  init(of entry: EntryID, _ key: AnyQueryKey) {
    self.key = key
    uses = EntryUses(of: entry)
  }
}
