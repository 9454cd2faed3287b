/// An entry as it lies in the cache: the machine, and beside it what machines must not hold.
struct EntrySlot {
  /// `nil` while the slot is free.
  var key: EntryKey?
  var machine = EntryMachine(at: .zero)
  var data: ValueBox?
  /// The newest plan that was given, preferring one that can fetch.
  var plan: ResolvedPlan?
  /// The fetch in flight.
  var job: FetchJob?
  /// The present state; `nil` until somebody looks.
  var frame: Frame?
  /// What most entries do without: an array of one, so that they pay a word for all of it.
  private var company: [Company] = []
  /// Counts changes: what was asked of a closure is void once it moved on.
  var revision: UInt64 = 0
  /// Tells the entries apart that use the slot one after the other.
  var generation: UInt32 = 0
  /// Where the entry stands among the entries that are observed or fetching, -1 for nowhere; while
  /// the slot is free, the next free one.
  var livePosition: Int32 = -1

  /// What an entry needs once it is observed, waited for, or failed.
  private struct Company {
    var consumers: [Int32] = []
    var dynamicCount = 0
    var askRound = 0
    var waiters: [Waiter] = []
    var waiterRound: UInt32 = 0
    var goneWaiters = 0
    var awaits: [EntryID] = []
    var error: ErrorBox?
    var failureReason: ErrorBox?
    var reasonBefore: ErrorBox?
    var starter: Waiter?
    var previousFrame: Frame?
    var layers: [LaidLayer] = []
    var shown: LayeredBox?
    var shelved: ValueBox?
    var beganAt: Timestamp?
    var pageCount: Int?
  }

  /// Hands out whatever is the user's, before the slot is emptied.
  mutating func surrender(to turn: inout Turn) {
    turn.drop(data.take())
    turn.drop(plan.take())
    turn.drop(frame.take())
    guard !company.isEmpty else { return }
    turn.drop(company[0].shelved)
    turn.drop(company[0].error)
    turn.drop(company[0].failureReason)
    turn.drop(company[0].reasonBefore)
    turn.drop(company[0].previousFrame)
  }

  private mutating func makeCompany() {
    if company.isEmpty { company.append(Company()) }
  }
}

// Arrays are changed in place (`_modify`): got and set they would be copied whole.
extension EntrySlot {
  /// The last final error; shown while the machine says so.
  var error: ErrorBox? {
    get { company.first?.error }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].error = newValue
    }
  }

  /// The newest attempt's error; shown while the machine counts failures.
  var failureReason: ErrorBox? {
    get { company.first?.failureReason }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].failureReason = newValue
    }
  }

  /// How many pages whoever gave the plan asked for; `nil` is as many as there are.
  var pageCount: Int? {
    get { company.first?.pageCount }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].pageCount = newValue
    }
  }

  /// The newest failure as the fetch in flight began: what a cancellation brings back.
  var reasonBefore: ErrorBox? {
    get { company.first?.reasonBefore }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].reasonBefore = newValue
    }
  }

  /// The waiter whose call began the fetch in flight.
  var starter: Waiter? {
    get { company.first?.starter }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].starter = newValue
    }
  }

  /// The state before the present one, while both are over the same data: a change that is undone
  /// before anybody looks leads back to it, and nobody sees the same snapshot twice.
  var previousFrame: Frame? {
    get { company.first?.previousFrame }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].previousFrame = newValue
    }
  }

  /// Data that the fetch in flight took out of sight.
  var shelved: ValueBox? {
    get { company.first?.shelved }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].shelved = newValue
    }
  }

  /// The time of the initial data that the entry began with.
  var beganAt: Timestamp? {
    get { company.first?.beganAt }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].beganAt = newValue
    }
  }

  var consumers: [Int32] {
    get { company.first?.consumers ?? [] }
    _modify {
      makeCompany()
      yield &company[0].consumers
    }
  }

  /// How many consumers have options that must be asked.
  var dynamicCount: Int {
    get { company.first?.dynamicCount ?? 0 }
    _modify {
      makeCompany()
      yield &company[0].dynamicCount
    }
  }

  /// Which asking of dynamic options lies in the outbox; 0 is none.
  var askRound: Int {
    get { company.first?.askRound ?? 0 }
    _modify {
      makeCompany()
      yield &company[0].askRound
    }
  }

  var waiters: [Waiter] {
    get { company.first?.waiters ?? [] }
    _modify {
      makeCompany()
      yield &company[0].waiters
    }
  }

  /// Tells waiters that were answered from those that still wait.
  var waiterRound: UInt32 {
    get { company.first?.waiterRound ?? 0 }
    _modify {
      makeCompany()
      yield &company[0].waiterRound
    }
  }

  /// Waiters that left early and are still in ``waiters``.
  var goneWaiters: Int {
    get { company.first?.goneWaiters ?? 0 }
    _modify {
      makeCompany()
      yield &company[0].goneWaiters
    }
  }

  /// The entries whose fetches this entry's fetch waits for.
  var awaits: [EntryID] {
    get { company.first?.awaits ?? [] }
    _modify {
      makeCompany()
      yield &company[0].awaits
    }
  }

  /// What mutations lay over the data, the oldest run lowest.
  var layers: [LaidLayer] {
    get { company.first?.layers ?? [] }
    _modify {
      makeCompany()
      yield &company[0].layers
    }
  }

  /// The data with its layers; `nil` without any.
  var shown: LayeredBox? {
    get { company.first?.shown }
    set {
      guard newValue != nil || !company.isEmpty else { return }
      makeCompany()
      company[0].shown = newValue
    }
  }

  /// The data as people see it.
  var visible: ValueBox? { shown ?? data }
}
