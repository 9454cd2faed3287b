// While an import runs that names what it will bring, the first attempts of fetches of these keys are
// held back. Who decides is ``AwaitedKeys``; a key has a text only outside the lock.
extension CacheState {
  typealias Imports = AwaitedKeys<SharedOneShot<Void>>

  /// An import begins.
  ///
  /// - Parameters:
  ///   - end: Given when all imports end.
  ///   - limit: How long a fetch waits for it.
  /// - Returns: Its number; `nil` if the cache has ended.
  mutating func beginImport(_ end: SharedOneShot<Void>, limit: TimeSpan) -> Int? {
    isShutDown ? nil : imports.began(end, limit: limit)
  }

  /// An import is over: nobody waits for it any more.
  mutating func endImport(_ number: Int, _ transaction: inout Transaction) {
    imports.ended(number)
    letGoUnawaited(&transaction)
    forgetNotes(&transaction)
  }

  /// Ends all imports: what they bring belongs to the time before.
  mutating func endImports(_ transaction: inout Transaction) {
    guard !imports.isEmpty else { return }
    for end in imports.endedAll() { actionQueue.append(.wake(.jointly(end))) }
    letGoUnawaited(&transaction)
    forgetNotes(&transaction)
  }

  /// Notes are of no use without imports.
  private mutating func forgetNotes(_ transaction: inout Transaction) {
    guard imports.isEmpty else { return }
    transaction.drop(FormerImports(imports.forgetNotes()))
  }

  // MARK: Fetches

  /// An attempt is about to begin: holds it back if an import is to bring the data.
  ///
  /// - Parameters:
  ///   - job: The fetch.
  ///   - text: Its key as archives name it.
  ///   - transaction: The transaction.
  /// - Returns: Whether the attempt must not begin: it is started again when nobody brings the data, or
  ///   never if the fetch is over.
  mutating func hold(_ job: FetchJob, _ text: String, _ transaction: inout Transaction) -> Bool {
    // An import has ended it in the meantime, and its task is not cancelled yet.
    guard let index = find(job.entry), slots[index].job === job else { return true }
    guard slots[index].machine.mayBeHeld(job.id),
      let subject = subject(index, text),
      let limit = imports.limit(for: subject, startedAt: job.place)
    else { return false }
    let end = transaction.environment.now.instant + limit
    slots[index].machine.held(job.id, until: end)
    imports.hold(job.entry, text)
    // Others may fetch while it waits.
    leaveRoom(index)
    // It is started by whoever ends the wait, but in the context of this task.
    transaction.standBy(job.tasks)
    apply(EntryActions(), index, &transaction)
    return true
  }

  /// Begins the fetches that wait for no import any more.
  mutating func letGoUnawaited(_ transaction: inout Transaction) {
    for held in imports.held.values.sorted(by: { $0.id.generation < $1.id.generation }) {
      guard let index = find(held.id), slots[index].machine.isHeld, let job = slots[index].job,
        let subject = subject(index, held.text)
      else {
        imports.letGo(held.id)
        continue
      }
      guard imports.limit(for: subject, startedAt: job.place) == nil else { continue }
      imports.letGo(held.id)
      input(index, &transaction) { $0.released(in: $1) }
    }
  }

  private func subject(_ index: Int, _ text: String) -> Imports.Subject? {
    slots[index].key.map { key in
      Imports.Subject(text: text, info: .absent(key), entry: slots[index].generation)
    }
  }

  // MARK: What happens to keys

  /// Data that is older than now must not be imported.
  @inline(__always)
  mutating func keepOut(olderThanNow index: Int) {
    if !imports.isEmpty, let key = slots[index].key { imports.fenced(key) }
  }

  /// What is fetched from now on is to be newer than what imports bring.
  mutating func askedAnew(_ index: Int, _ transaction: inout Transaction) {
    guard !imports.isEmpty, let key = slots[index].key else { return }
    imports.requested(key)
    if slots[index].machine.isHeld { letGoUnawaited(&transaction) }
  }

  /// An entry was invalidated.
  mutating func noteMark(_ index: Int, _ transaction: inout Transaction) {
    guard !imports.isEmpty, let key = slots[index].key else { return }
    imports.invalidated(key, at: transaction.environment.now.date)
    if slots[index].machine.isHeld { letGoUnawaited(&transaction) }
  }

  /// What a filter selects is removed or invalidated, including what imports are going to bring.
  mutating func noteSweep(
    _ filter: EntryFilter,
    invalidates: Bool,
    _ transaction: inout Transaction
  ) {
    guard !imports.isEmpty else { return }
    imports.swept(
      filter,
      invalidatedAt: invalidates ? transaction.environment.now.date : nil,
      newestEntry: entrySerial
    )
  }
}

/// What imports have left behind, to be released outside the lock.
private final class FormerImports: Sendable {
  private let imports: CacheState.Imports

  init(_ imports: CacheState.Imports) { self.imports = imports }
}
