/// Observers with one reader, which gets the snapshots of the observers that changed; for authors of
/// adapters.
///
/// A task for each observer is too much for a screen of a thousand rows. A group has one reader: it
/// waits once, and then takes the newest snapshot of every member that has changed since the last read.
/// Snapshots are not buffered, and one read shows whole transactions. A read costs one short lock.
///
/// ```swift
/// let group = ObservationGroup(client)
/// let observers = ids.map { client.observer(of: .user($0)) }
/// let shown = observers.map { group.insert($0).result(of: $0) }
/// show(shown.count)
/// while let changes = await group.next() {
///   for change in changes {
///     show(change.result(of: observers[change.position])?.data)
///   }
/// }
/// ```
///
/// A group retains neither the client nor its members. It ends with the client.
@_spi(Adapters) public final class ObservationGroup: Sendable {
  private let cache: QueryCache
  let number: Int32
  private let shutdownHandlers: ShutdownHandlers
  private let ending: Int?

  /// Creates a group without members.
  ///
  /// - Parameter client: The client of all members.
  public init(_ client: QueryClient) {
    let (cache, number) = (client.cache, client.cache.record { $0.makeGroup() })
    self.cache = cache
    self.number = number
    shutdownHandlers = client.shutdownHandlers
    ending = shutdownHandlers.add { Self.endGroup(number, cache) }
    if ending == nil { Self.endGroup(number, cache) }
  }

  deinit {
    if let ending { shutdownHandlers.remove(ending) }
    cache.record { [number] in $0.disband(number) }
  }

  /// Adds an observer.
  ///
  /// - Parameter observer: An observer of the group's client, which is in no group yet; an observer
  ///   of another client appears as ended.
  /// - Returns: The observer's present snapshot, and its position: a small number that it has until
  ///   it is removed, and that is then reused.
  public func insert<Value>(_ observer: QueryObserver<Value>) -> ObservationChange {
    insert(observer.subscription.id, of: observer.subscription.client)
  }

  func insert(_ id: ObserverID, of client: QueryClient) -> ObservationChange {
    // An observer of another client may have the same number as an observer of this client, but another type.
    // So a number that no observer has is added for it.
    let isOwn = client.cache === cache
    return cache.record { [number] state in
      state.addMember(number, isOwn ? id : state.observers.makeFormerID())
    }
  }

  /// Removes a member, and lets its observation go on; a second call does nothing.
  ///
  /// - Parameter position: The member's position.
  public func remove(_ position: Int) {
    cache.record { [number] in $0.removeMember(number, Int32(clamping: position)) }
  }

  /// Returns the newest snapshot of each member that has changed since the last read, without
  /// waiting.
  ///
  /// - Returns: The changes, in the order in which the members first changed.
  /// - Complexity: O(*n*) in the number of members that have changed.
  public func takeChanges() -> [ObservationChange] {
    cache.record { [number] in $0.takeChanges(of: number) }
  }

  /// Waits until a member has changed, and returns the changes.
  ///
  /// - Parameter isolation: The caller's isolation, which is kept.
  /// - Returns: The changes; `nil` when the task is cancelled or the client has ended.
  public func next(
    isolation: isolated (any Actor)? = #isolation
  ) async -> [ObservationChange]? {
    while !Task.isCancelled {
      let wait = SharedOneShot<Void>()
      let changes = cache.record { [number] in $0.takeChanges(of: number, orSuspend: wait) }
      guard let changes, changes.isEmpty else { return changes }
      await withTaskCancellationHandler {
        // The closure captures the isolation, so that it stays on the caller's actor.
        _ = isolation
        _ = await wait.wait()
      } onCancel: {
        wait.give(())
      }
    }
    return nil
  }

  private static func endGroup(_ number: Int32, _ cache: QueryCache) {
    for wait in cache.record({ $0.endGroup(number) }) { wait.give(()) }
  }
}

extension ObservationChange {
  /// The snapshot, with the type of its observer.
  ///
  /// - Parameter observer: The observer at ``position``.
  /// - Returns: The snapshot; `nil` if the observation has ended, and for any other observer.
  public func result<Value>(of observer: QueryObserver<Value>) -> QueryResult<Value>? {
    result(of: member(of: observer))
  }
}

/// One member of an `ObservationGroup`, with the type of its values: for adapters with many
/// members.
///
/// Pass it to `result(of:)` instead of the observer. The observer is an object: if a thousand members change
/// at once, reading such objects takes most of the time.
///
/// ```swift
/// let group = ObservationGroup(client)
/// let observer = client.observer(of: .user(1))
/// let first = group.insert(observer)
/// let member = first.member(of: observer)
/// show(first.result(of: member)?.data)
/// for change in group.takeChanges() { show(change.result(of: member)?.data) }
/// ```
@_spi(Adapters) public struct ObservationMember<Value: Sendable>: Sendable {
  private let storedPosition: Int32
  /// The number of the observer, unique among all; 0 for no member.
  private let generation: UInt32

  fileprivate init(_ position: Int, _ id: ObserverID) {
    storedPosition = Int32(truncatingIfNeeded: position)
    generation = id.generation
  }

  /// Creates a value that stands for no member; no change matches it.
  public init() { (storedPosition, generation) = (-1, 0) }

  /// The position of the member in its group; -1 for no member.
  public var position: Int { Int(storedPosition) }

  fileprivate func isMember(of change: ObservationChange) -> Bool {
    change.id.generation == generation
  }
}

extension ObservationChange {
  /// Returns the member that has changed.
  ///
  /// - Parameter observer: The observer at ``position``.
  /// - Returns: The member; for any other observer, a value that stands for no member.
  public func member<Value>(of observer: QueryObserver<Value>) -> ObservationMember<Value> {
    id == observer.subscription.id ? ObservationMember(position, id) : ObservationMember()
  }

  /// The snapshot, with the type of its member.
  ///
  /// - Parameter member: The member at ``position``.
  /// - Returns: The snapshot; `nil` if the observation has ended, and for any other member.
  public func result<Value>(of member: ObservationMember<Value>) -> QueryResult<Value>? {
    guard let seen, member.isMember(of: self) else { return nil }
    return QueryResult(snapshot: seen.snapshot, flags: seen.flags)
  }

  /// Whether the change is the end of a member's observation, for example by a shutdown of the client.
  ///
  /// - Parameter member: The member at ``position``.
  /// - Returns: Whether the observation has ended; `false` for any other member.
  public func ends<Value>(_ member: ObservationMember<Value>) -> Bool {
    isOver && member.isMember(of: self)
  }
}

extension ObservationGroup {
  /// Adds the observers of a list of queries.
  ///
  /// When one of them changes, read ``QueryListObserver/results``: the change itself has no result. After
  /// ``QueryListObserver/update(_:)``, remove the former positions and insert the list again.
  ///
  /// - Parameter list: The list.
  /// - Returns: The positions of its queries, in the order of the list.
  public func insert(_ list: QueryListObserver) -> [Int] {
    list.group.ids.map { insert($0, of: list.group.client).position }
  }
}
