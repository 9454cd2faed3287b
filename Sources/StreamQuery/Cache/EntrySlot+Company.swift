// What an entry needs once it is observed, is waited for, or has failed.
//
// Arrays are changed in place (`_modify`): with a getter and a setter they would be copied whole.
extension EntrySlot {
  private mutating func makeCompany() {
    if company.isEmpty { company.append(Company()) }
  }

  /// Gives back the room if nothing is left in it.
  ///
  /// For entries that were fetched and are not observed: most fetched entries never are.
  mutating func dropEmptyCompany() {
    if !company.isEmpty, company[0].isEmpty { company = [] }
  }

  /// Removes all waiters, and the one whose call started the fetch.
  mutating func takeWaiters() -> (waiters: [Waiter], starter: Waiter?) {
    guard !company.isEmpty else { return ([], nil) }
    var waiters: [Waiter] = []
    swap(&waiters, &company[0].waiters)
    company[0].waiterRound = 0
    company[0].goneWaiters = 0
    return (waiters, company[0].starter.take())
  }

  /// Whether the entry is observed.
  var isWatched: Bool { !company.isEmpty && !company[0].consumers.isEmpty }

  /// Whether layers of mutations lie over the data.
  var isLayered: Bool { !company.isEmpty && !company[0].layers.isEmpty }

  /// Whether the fetch in flight hid data.
  var hasShelf: Bool { !company.isEmpty && company[0].shelved != nil }

  /// The last final error; shown while the machine says so.
  var error: ErrorBox? {
    get { company.isEmpty ? nil : company[0].error }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].error = newValue
    }
  }

  /// The newest attempt's error; shown while the machine counts failures.
  var failureReason: ErrorBox? {
    get { company.isEmpty ? nil : company[0].failureReason }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].failureReason = newValue
    }
  }

  /// How many pages the caller that gave the plan asked for; `nil` is as many as there are.
  var pageCount: Int? {
    get { company.isEmpty ? nil : company[0].pageCount }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].pageCount = newValue
    }
  }

  /// The newest failure when the fetch in flight started; a cancellation restores it.
  var reasonBefore: ErrorBox? {
    get { company.isEmpty ? nil : company[0].reasonBefore }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].reasonBefore = newValue
    }
  }

  /// The waiter whose call started the fetch in flight.
  var starter: Waiter? {
    get { company.isEmpty ? nil : company[0].starter }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].starter = newValue
    }
  }

  /// The state before the current one, if both have the same data: a change that is undone before
  /// anybody looks restores it, so nobody sees the same snapshot twice.
  var previousFrame: Frame? {
    get { company.isEmpty ? nil : company[0].previousFrame }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].previousFrame = newValue
    }
  }

  /// Data that the fetch in flight hid.
  var shelved: ValueBox? {
    get { company.isEmpty ? nil : company[0].shelved }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].shelved = newValue
    }
  }

  /// The initial data that the entry began with; `nil` if it began without.
  var beginning: Beginning? {
    get { company.isEmpty ? nil : company[0].beginning }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].beginning = newValue
    }
  }

  var consumers: [Int32] {
    get { company.isEmpty ? [] : company[0].consumers }
    _modify {
      makeCompany()
      yield &company[0].consumers
    }
  }

  /// How many consumers have dynamic options.
  var dynamicCount: Int {
    get { company.isEmpty ? 0 : company[0].dynamicCount }
    _modify {
      makeCompany()
      yield &company[0].dynamicCount
    }
  }

  /// The round of evaluating dynamic options that is in the outbox; 0 is none.
  var askRound: Int {
    get { company.isEmpty ? 0 : company[0].askRound }
    _modify {
      makeCompany()
      yield &company[0].askRound
    }
  }

  var waiters: [Waiter] {
    get { company.isEmpty ? [] : company[0].waiters }
    _modify {
      makeCompany()
      yield &company[0].waiters
    }
  }

  /// Distinguishes answered waiters from those that still wait; 0 while nobody waits.
  var waiterRound: UInt64 {
    get { company.isEmpty ? 0 : company[0].waiterRound }
    _modify {
      makeCompany()
      yield &company[0].waiterRound
    }
  }

  /// Waiters that left early and are still in ``waiters``.
  var goneWaiters: Int {
    get { company.isEmpty ? 0 : company[0].goneWaiters }
    _modify {
      makeCompany()
      yield &company[0].goneWaiters
    }
  }

  /// The layers of mutations over the data; the oldest run's is the lowest.
  var layers: [LaidLayer] {
    get { company.isEmpty ? [] : company[0].layers }
    _modify {
      makeCompany()
      yield &company[0].layers
    }
  }

  /// The data with its layers; `nil` without layers.
  var shown: LayeredBox? {
    get { company.isEmpty ? nil : company[0].shown }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].shown = newValue
    }
  }
}
