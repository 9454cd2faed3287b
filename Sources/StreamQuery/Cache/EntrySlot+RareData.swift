// What an entry needs once it is observed, is waited for, or has failed.
//
// Arrays are changed in place (`_modify`): with a getter and a setter they would be copied whole.
extension EntrySlot {
  private mutating func makeRareData() {
    if rareData.isEmpty { rareData.append(RareData()) }
  }

  /// Gives back the room if nothing is left in it.
  ///
  /// For entries that were fetched and are not observed: most fetched entries never are.
  mutating func dropEmptyRareData() {
    if !rareData.isEmpty, rareData[0].isEmpty { rareData = [] }
  }

  /// Removes all waiters, and the one whose call started the fetch.
  mutating func takeWaiters() -> (waiters: [Waiter], starter: Waiter?) {
    guard !rareData.isEmpty else { return ([], nil) }
    var waiters: [Waiter] = []
    swap(&waiters, &rareData[0].waiters)
    rareData[0].waiterRound = 0
    rareData[0].goneWaiters = 0
    return (waiters, rareData[0].starter.take())
  }

  /// Whether the entry is observed.
  var isWatched: Bool { !rareData.isEmpty && !rareData[0].observers.isEmpty }

  /// Whether layers of mutations lie over the data.
  var isLayered: Bool { !rareData.isEmpty && !rareData[0].layers.isEmpty }

  /// Whether the fetch in flight hid data.
  var hasShelf: Bool { !rareData.isEmpty && rareData[0].stashed != nil }

  /// The last final error; shown while the machine says so.
  var error: ErrorBox? {
    get { rareData.isEmpty ? nil : rareData[0].error }
    set {
      guard newValue != nil || !rareData.isEmpty else { return }
      makeRareData()
      rareData[0].error = newValue
    }
  }

  /// The newest attempt's error; shown while the machine counts failures.
  var failureReason: ErrorBox? {
    get { rareData.isEmpty ? nil : rareData[0].failureReason }
    set {
      guard newValue != nil || !rareData.isEmpty else { return }
      makeRareData()
      rareData[0].failureReason = newValue
    }
  }

  /// How many pages the caller that gave the plan asked for; `nil` is as many as there are.
  var pageCount: Int? {
    get { rareData.isEmpty ? nil : rareData[0].pageCount }
    set {
      guard newValue != nil || !rareData.isEmpty else { return }
      makeRareData()
      rareData[0].pageCount = newValue
    }
  }

  /// The newest failure when the fetch in flight started; a cancellation restores it.
  var reasonBefore: ErrorBox? {
    get { rareData.isEmpty ? nil : rareData[0].reasonBefore }
    set {
      guard newValue != nil || !rareData.isEmpty else { return }
      makeRareData()
      rareData[0].reasonBefore = newValue
    }
  }

  /// The waiter whose call started the fetch in flight.
  var starter: Waiter? {
    get { rareData.isEmpty ? nil : rareData[0].starter }
    set {
      guard newValue != nil || !rareData.isEmpty else { return }
      makeRareData()
      rareData[0].starter = newValue
    }
  }

  /// The state before the current one, if both have the same data: a change that is undone before
  /// anybody looks restores it, so nobody sees the same snapshot twice.
  var previousSnapshot: EntrySnapshot? {
    get { rareData.isEmpty ? nil : rareData[0].previousSnapshot }
    set {
      guard newValue != nil || !rareData.isEmpty else { return }
      makeRareData()
      rareData[0].previousSnapshot = newValue
    }
  }

  /// Data that the fetch in flight hid.
  var stashed: ValueBox? {
    get { rareData.isEmpty ? nil : rareData[0].stashed }
    set {
      guard newValue != nil || !rareData.isEmpty else { return }
      makeRareData()
      rareData[0].stashed = newValue
    }
  }

  /// The initial data that the entry began with; `nil` if it began without.
  var beginning: Beginning? {
    get { rareData.isEmpty ? nil : rareData[0].beginning }
    set {
      guard newValue != nil || !rareData.isEmpty else { return }
      makeRareData()
      rareData[0].beginning = newValue
    }
  }

  var observers: [Int32] {
    get { rareData.isEmpty ? [] : rareData[0].observers }
    _modify {
      makeRareData()
      yield &rareData[0].observers
    }
  }

  /// How many observers have dynamic options.
  var dynamicCount: Int {
    get { rareData.isEmpty ? 0 : rareData[0].dynamicCount }
    _modify {
      makeRareData()
      yield &rareData[0].dynamicCount
    }
  }

  /// The round of evaluating dynamic options that is in the outbox; 0 is none.
  var askRound: Int {
    get { rareData.isEmpty ? 0 : rareData[0].askRound }
    _modify {
      makeRareData()
      yield &rareData[0].askRound
    }
  }

  var waiters: [Waiter] {
    get { rareData.isEmpty ? [] : rareData[0].waiters }
    _modify {
      makeRareData()
      yield &rareData[0].waiters
    }
  }

  /// Distinguishes answered waiters from those that still wait; 0 while nobody waits.
  var waiterRound: UInt64 {
    get { rareData.isEmpty ? 0 : rareData[0].waiterRound }
    _modify {
      makeRareData()
      yield &rareData[0].waiterRound
    }
  }

  /// Waiters that left early and are still in ``waiters``.
  var goneWaiters: Int {
    get { rareData.isEmpty ? 0 : rareData[0].goneWaiters }
    _modify {
      makeRareData()
      yield &rareData[0].goneWaiters
    }
  }

  /// The layers of mutations over the data; the oldest run's is the lowest.
  var layers: [LaidLayer] {
    get { rareData.isEmpty ? [] : rareData[0].layers }
    _modify {
      makeRareData()
      yield &rareData[0].layers
    }
  }

  /// The data with its layers; `nil` without layers.
  var shown: LayeredBox? {
    get { rareData.isEmpty ? nil : rareData[0].shown }
    set {
      guard newValue != nil || !rareData.isEmpty else { return }
      makeRareData()
      rareData[0].shown = newValue
    }
  }
}
