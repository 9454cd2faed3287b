@_spi(Adapters) internal import StreamQuery
import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// Reading stored data.

extension StorePersister {
  @discardableResult
  func open(_ policy: any PersistencePolicy) -> Bool {
    guard let settings = (policy as? QueryPersistence)?.settings else { return false }
    let id = StoreID(settings, of: partition)
    if let known = state.withLock({ $0.isAwaited(id) }) { return known }
    // The limit is read outside of the lock, because the store is user code; it is read only when the store
    // is opened.
    let byteLimit = settings.store.byteLimit
    let (isRestoring, isNew) = state.withLock { state in
      if let known = state.isAwaited(id) { return (known, false) }
      let rank = state.stores.count
      state.stores[id] = StoreSession(settings, rank: rank, byteLimit: byteLimit)
      return (true, true)
    }
    if isNew {
      begin { await $0.load(id, settings) }
    }
    return isRestoring
  }

  /// Returns the store and the partition of a policy.
  private func id(of policy: any PersistencePolicy) -> StoreID? {
    (policy as? QueryPersistence)?.settings.map { StoreID($0, of: partition) }
  }

  func isRestoring(_ policy: any PersistencePolicy) -> Bool {
    guard let id = id(of: policy) else { return false }
    return state.withLock { $0.isAwaited(id) ?? true }
  }

  func isUnread(_ policy: any PersistencePolicy) -> Bool {
    guard let id = id(of: policy) else { return false }
    return state.withLock { !$0.isEnded && $0.stores[id]?.records.isLoading == true }
  }

  func writesWait(under policies: [any PersistencePolicy]) {
    let awaited = Set(policies.compactMap { id(of: $0) })
    state.withLock { state in
      for id in state.ids { state.stores[id]?.hasWaitingWrites = awaited.contains(id) }
    }
  }

  /// Whether a policy's store could not be read, and is to be read again.
  func isFailing(_ policy: QueryPersistence) -> Bool {
    guard let id = id(of: policy) else { return false }
    return state.withLock { !$0.isEnded && $0.stores[id]?.isFailing == true }
  }

  private func load(_ id: StoreID, _ settings: Persistence) async {
    let restoreTimeout = deadlines.set(TimeSpan(settings.restoreTimeout)) { [executor] in
      // The work of a deadline must be quick, so users' code has its own task.
      Task.detached(executorPreference: executor) { self.restoreTimedOut(for: id) }
    }
    var problems: [any Error]
    repeat {
      // If the client ends during the read, and the read fails, the store is read once more.
      let isLast = state.withLock(\.isEnded)
      do throws(QueryStoreError) {
        let contents = try await settings.store.load(id.partition)
        let date = wallClock().timeIntervalSinceReferenceDate
        let unreadable = update { state in
          // Removals that were made until now are taken first, so that they apply to the content that was
          // read.
          state.drain(onlyRemovals: true)
          return state.stores[id]?.read(contents, at: date) ?? []
        }
        problems = contents.damage.map(SavedValueError.damaged)
        problems += unreadable.map(SavedValueError.unreadable)
        break
      } catch {
        problems = [error]
        guard await waits(for: id, after: error, isLast: isLast, restoreTimeout) else {
          close(id, error)
          break
        }
      }
    } while !state.withLock(\.isErased)
    restoreTimeout?.cancel()
    goOn(id, problems)
    makeLastWrites(of: id)
    start(id) { $0.records.isDirty || $0.writer.isAwaited ? $0.writer.released() : nil }
  }

  /// Lets queries go on as they would without a store, because reading the store takes too long.
  private func restoreTimedOut(for id: StoreID) {
    let isAwaited = state.withLock { state in
      // The read may have ended just now.
      guard state.stores[id]?.isAwaited == true else { return false }
      state.stores[id]?.isSlow = true
      return true
    }
    guard isAwaited else { return }
    goOn(id, [SavedValueError.slowStore])
    start(id) { $0.writer.hasHeld ? $0.writer.released() : nil }
  }

  /// Waits before a store is read again, for the time that ``StoreSession`` decides, or until the client
  /// ends.
  ///
  /// - Returns: Whether the store is to be read again.
  private func waits(
    for id: StoreID,
    after error: QueryStoreError,
    isLast: Bool,
    _ restoreTimeout: Deadline?
  ) async -> Bool {
    let pause = SharedOneShot<Void>()
    typealias Failure = (time: Duration?, wasAwaited: Bool, waits: [SharedOneShot<Void>])
    let (time, wasAwaited, waits) = state.withLock { state -> Failure in
      if state.isEnded {
        return isLast || error.isFinal
          ? (nil, false, []) : (.zero, false, state.stores[id]?.waits.takeAll() ?? [])
      }
      let (time, wasAwaited) = state.stores[id]?.readFailed(error) ?? (nil, false)
      guard let time else { return (nil, wasAwaited, []) }
      if time != .zero { state.stores[id]?.pauses(until: pause) }
      // These callers are resumed now; a caller that comes later waits for the next read.
      return (time, wasAwaited, state.stores[id]?.waits.takeAll() ?? [])
    }
    guard let time else { return false }
    restoreTimeout?.cancel()
    if wasAwaited {
      goOn(id, [error], waits)
    } else {
      // Since the first failure, no query waits for the store. Only callers of `restore()` wait, which asked
      // for another read.
      report(error, in: id)
      for wait in waits { wait.give(()) }
    }
    if time == .zero { return true }
    start(id) { $0.writer.hasHeld ? $0.writer.released() : nil }
    let end = deadlines.set(TimeSpan(time)) { pause.give(()) }
    _ = await pause.wait()
    end?.cancel()
    _ = part(id) { $0.pauseEnded() }
    return true
  }

  func retryLoad() {
    let pauses = state.withLock { state in
      state.ids.compactMap { state.stores[$0]?.requestRetry() }
    }
    for pause in pauses { pause.give(()) }
  }

  /// Reads a store again now after a failure, and waits for the result, at most as long as for the first
  /// read.
  func retryLoad(_ policy: QueryPersistence) async {
    guard let id = id(of: policy) else { return }
    let answer = SharedOneShot<Void>()
    let (limit, pause) = state.withLock { state -> (Duration?, SharedOneShot<Void>?) in
      guard !state.isEnded, state.stores[id]?.isFailing == true else { return (nil, nil) }
      state.stores[id]?.waits.append(answer)
      let limit = state.stores[id]?.settings.restoreTimeout
      // If the store is being read already, the callers share that read.
      return (limit, state.stores[id]?.pauseEnded(isEarly: true))
    }
    pause?.give(())
    if let limit { await wait(for: answer, id, within: TimeSpan(limit)) }
  }

  /// Reports problems with a store, and resumes the callers that wait for its read.
  private func goOn(_ id: StoreID, _ problems: [any Error]) {
    goOn(id, problems, part(id) { $0.waits.takeAll() } ?? [])
  }

  private func goOn(_ id: StoreID, _ problems: [any Error], _ waits: [SharedOneShot<Void>]) {
    for problem in problems { report(problem, in: id) }
    client?.restorationEnded()
    for wait in waits { wait.give(()) }
  }

  func waitUntilRestored(
    _ policy: any PersistencePolicy,
    within limit: TimeSpan,
    orUntil answer: SharedOneShot<Void>
  ) async {
    guard open(policy), let id = id(of: policy) else { return }
    let isRestoring = state.withLock { state in
      guard state.stores[id]?.isAwaited == true, !state.isEnded else { return false }
      state.stores[id]?.waits.append(answer)
      return true
    }
    if isRestoring { await wait(for: answer, id, within: limit) }
  }

  private func wait(
    for answer: SharedOneShot<Void>,
    _ id: StoreID,
    within limit: TimeSpan
  ) async {
    let end = deadlines.set(limit) { answer.give(()) }
    defer { end?.cancel() }
    _ = await answer.take(for: "the records of a store", of: client, orGive: ())
    // The list still has the caller if the caller's wait was cancelled or took too long.
    state.withLock { $0.stores[id]?.waits.removeAll { $0 === answer } }
  }

  /// The error that keeps the store of a policy from being used, because it was closed, could not be read, or
  /// takes too long; `nil` if there is none.
  func failure(of policy: QueryPersistence) -> QueryStoreError? {
    id(of: policy).flatMap { id in state.withLock { $0.stores[id]?.failure } }
  }

  /// The saved data of an entry: a change that is not encoded yet, or a record.
  private enum Kept {
    /// The entry has a change that is not encoded yet.
    case entry(PersistedEntry)
    case record(text: String, SavedValue)

    var stamp: (updatedAt: Double, isInvalidated: Bool) {
      switch self {
      case .entry(let entry): (entry.info.dataDate, entry.isInvalidated)
      case .record(_, let value): (value.updatedAt, value.isInvalidated)
      }
    }
  }

  private func kept(of key: EntryKey, in id: StoreID) -> Kept? {
    let (change, hasDropped) = update { state in
      state.drain(onlyRemovals: true)
      let givenUpCount = state.stores[id]?.records.givenUpCount ?? 0
      return (state.stores[id]?.records.pendingChange(of: key), givenUpCount > 0)
    }
    if hasDropped { reportDroppedValues() }
    switch change {
    case .removed: return nil
    case .changed(let entry): return .entry(entry)
    case nil:
      guard let text = try? key.canonicalText(),
        let saved = state.withLock({ $0.stores[id]?.records.use(text) })
      else { return nil }
      return .record(text: text, saved)
    }
  }

  func stamp(
    of key: EntryKey,
    _ policy: any PersistencePolicy
  ) -> (updatedAt: Double, isInvalidated: Bool)? {
    guard let id = id(of: policy), !isRestoring(policy) else { return nil }
    return kept(of: key, in: id)?.stamp
  }

  func data(
    of key: EntryKey,
    _ definition: QueryDefinition,
    _ policy: any PersistencePolicy
  ) -> KeptData? {
    guard let settings = (policy as? QueryPersistence)?.settings, !open(policy) else {
      return nil
    }
    let id = StoreID(settings, of: partition)
    let found = kept(of: key, in: id)
    if case .entry(let entry) = found {
      guard let box = entry.info.base else { return nil }
      return KeptData(
        box: box,
        updatedAt: entry.info.dataDate,
        isInvalidated: entry.isInvalidated,
        isPart: entry.info.isPart
      )
    }
    guard case .record(let text, let saved) = found else { return nil }
    let policy = policy as? QueryPersistence
    let isOfVersion = saved.isOf(version: settings.version)
    guard isOfVersion || policy?.migrate != nil,
      saved.isYoung(
        for: TimeSpan(settings.maxAge),
        at: wallClock().timeIntervalSinceReferenceDate
      )
    else {
      // A definition that has only a key uses the client's policy. The query that saved the value may have
      // another policy, so the record stays for that query.
      if !definition.isOfKeyAlone { forget(text, saved, id) }
      return nil
    }
    // If this definition cannot decode the record, the record stays if another query may be able to decode
    // it. The record also stays if nobody can fetch the value again, because a later version may decode it.
    let stays = definition.isOfKeyAlone || !isOfVersion && !saved.hasLifetime
    let reader = SavedRecords.Reader(
      valueType: ObjectIdentifier(definition.valueType),
      version: settings.version
    )
    // A migration is tried again each time, because it may succeed at the next attempt.
    if definition.isOfKeyAlone,
      state.withLock({ $0.stores[id]?.records.isUnreadable(text, by: reader) == true })
    {
      return nil
    }
    do {
      let box: ValueBox
      if let migrate = policy?.migrate, !isOfVersion {
        box = try migrate(saved.value, saved.version)
      } else {
        guard let decoder = ArchivableContent(known: definition.valueType, definition) else {
          return nil
        }
        box = try decoder.decode(saved.value, settings.coding)
      }
      return KeptData(
        box: box,
        updatedAt: saved.updatedAt,
        isInvalidated: saved.isInvalidated,
        isPart: saved.isPart
      )
    } catch {
      var isNew = true
      if stays {
        isNew = part(id) { $0.records.noteUnreadable(text, saved, by: reader) } ?? true
      } else {
        forget(text, saved, id)
      }
      if isNew { report(error, of: key, in: id) }
      return nil
    }
  }

  func keepsForAnother(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ policy: any PersistencePolicy
  ) -> Bool {
    guard definition.isOfKeyAlone, let settings = (policy as? QueryPersistence)?.settings,
      TimeSpan(settings.maxAge) != .infinite,
      case .record(_, let saved) = kept(of: key, in: StoreID(settings, of: partition))
    else { return false }
    return !saved.hasLifetime
  }

  private func forget(_ text: String, _ saved: SavedValue, _ id: StoreID) {
    state.withLock { $0.stores[id]?.records.drop(text, saved) }
    start(id) { $0.writer.changed() }
  }
}
