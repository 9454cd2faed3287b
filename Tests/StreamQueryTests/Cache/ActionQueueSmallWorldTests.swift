import Testing

@testable import StreamQuery

/// A few threads, their transactions and the drain task, in every order that there is.
struct ActionQueueSmallWorldTests {
  struct Setting: Hashable, Sendable, CustomStringConvertible {
    /// How many actions the transactions of each thread add.
    var scripts: [[Int]]
    /// Threads of low priority.
    var low: Set<Int> = []
    /// Actions that make a transaction that adds one more.
    var nesting: Set<Int> = []
    var share = 1
    var room = 2
    /// Whether who waits may lose patience.
    var hasTimeouts = false
    /// Whether the executor runs a drain task within the asking for it.
    var runsAtOnce = false

    var description: String {
      "\(scripts), low \(low.sorted()), nesting \(nesting.sorted()), share \(share), room \(room), "
        + "timeouts \(hasTimeouts), at once \(runsAtOnce)"
    }
  }

  @Test(arguments: [
    Setting(scripts: [[1, 2], [2, 1]]),
    Setting(scripts: [[1, 2], [2, 1]], hasTimeouts: true),
    Setting(scripts: [[1], [2], [1]], room: 1),
    Setting(scripts: [[1], [2], [1]], room: 1, hasTimeouts: true),
    Setting(scripts: [[2, 1], [1]], low: [0]),
    Setting(scripts: [[1, 2], [2]], low: [0, 1], room: 1),
    Setting(scripts: [[1, 2], [2]], low: [0, 1], room: 1, hasTimeouts: true),
    Setting(scripts: [[1, 2], [2]], room: 9, runsAtOnce: true),
    Setting(scripts: [[1], [2], [1]], low: [0], room: 1, runsAtOnce: true),
    Setting(scripts: [[1, 2], [2]], nesting: [0, 2]),
    Setting(scripts: [[1, 2], [2]], nesting: [1], hasTimeouts: true, runsAtOnce: true),
  ])
  func everyActionIsPerformedOnceAndInOrder(_ setting: Setting) {
    var seen: Set<Environment> = [Environment(setting)]
    var frontier = Array(seen)
    while let environment = frontier.popLast() {
      let next = environment.next()
      if next.isEmpty { expect(environment.isDone, "it stands still in \(environment)") }
      for environment in next {
        if let broken = environment.broken {
          Issue.record("\(broken) in \(environment)")
          return
        }
        if seen.insert(environment).inserted { frontier.append(environment) }
      }
    }
    #expect(seen.count > 50)
  }

  struct Environment: Hashable {
    typealias Box = ActionQueue<Int>

    /// A call of a thread that does what the action queue says.
    struct Call: Hashable {
      var step = Box.Step.leave
      var batch = Box.Batch()
      /// How far the batch was performed.
      var place = 0
      /// How many it performed in all, and how many its transaction had added.
      var performed = 0
      var added = 0
      var toTell: [ThreadIdentity] = []
      /// Whether the drain task was asked for.
      var hasAsked = false
    }

    struct Thread: Hashable {
      var script: [Int]
      var calls: [Call] = []
      /// Whether it was told not to wait any more; `nil` while it does not want to be.
      var isTold: Bool?
    }

    /// The same for all worlds that are compared.
    let setting: Setting
    var box: Box
    var threads: [Thread]
    var dueSweepers = 0
    var added = 0
    var performed = 0
    var broken: String?

    init(_ setting: Setting) {
      self.setting = setting
      box = Box(share: setting.share, room: setting.room)
      threads = setting.scripts.map { Thread(script: $0) }
    }

    var isDone: Bool {
      performed == added && box.count == 0 && dueSweepers == 0
        && threads.allSatisfy { $0.script.isEmpty && $0.calls.isEmpty }
    }

    static func == (one: Environment, other: Environment) -> Bool {
      one.performed == other.performed && one.added == other.added
        && one.dueSweepers == other.dueSweepers && one.box == other.box
        && one.threads == other.threads
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(performed)
      hasher.combine(added)
      hasher.combine(dueSweepers)
      hasher.combine(box)
      for thread in threads {
        hasher.combine(thread.script.count)
        hasher.combine(thread.isTold)
        for call in thread.calls {
          hasher.combine(call.step)
          hasher.combine(call.place)
          hasher.combine(call.batch.budget)
          hasher.combine(call.hasAsked)
        }
      }
    }

    /// Every state that may come next.
    func next() -> [Environment] {
      var worlds: [Environment] = []
      for thread in threads.indices {
        if let environment = step(thread) { worlds.append(environment) }
      }
      if dueSweepers > 0 {
        var environment = self
        environment.dueSweepers -= 1
        let thread = environment.idleSweeper()
        environment.sweep(thread)
        if environment.threads[thread].calls.last?.step == .leave { environment.leave(thread) }
        worlds.append(environment)
      }
      return worlds
    }

    private func identity(_ thread: Int) -> ThreadIdentity {
      ThreadIdentity(number: UInt(thread + 1))
    }

    /// A thread of the executor that has nothing to do.
    private mutating func idleSweeper() -> Int {
      for thread in threads.indices.dropFirst(setting.scripts.count)
      where threads[thread].calls.isEmpty { return thread }
      threads.append(Thread(script: []))
      return threads.count - 1
    }

    private mutating func sweep(_ thread: Int) {
      var call = Call()
      call.step = box.drainTaskCame(on: identity(thread), into: &call.batch)
      call.place = call.batch.start
      threads[thread].calls.append(call)
    }

    /// Adds actions in a transaction.
    private mutating func transaction(_ count: Int, _ thread: Int) -> Call {
      var call = Call(added: count)
      let before = box.count
      for _ in 0..<count {
        box.enqueue(added)
        added += 1
      }
      call.step = box.transactionEnded(
        since: before,
        on: identity(thread),
        isLow: setting.low.contains(thread),
        into: &call.batch
      )
      call.place = call.batch.start
      let isBounded = !setting.hasTimeouts && setting.nesting.isEmpty && setting.low.isEmpty
      let most = setting.scripts.joined().max() ?? 0
      if isBounded, box.count > setting.room + most * setting.scripts.count {
        broken = "\(box.count) actions wait"
      }
      return call
    }

    /// The next thing that a thread does; `nil` if it waits or is done.
    private func step(_ thread: Int) -> Environment? {
      var environment = self
      guard let call = threads[thread].calls.last else {
        guard !environment.threads[thread].script.isEmpty else { return nil }
        let count = environment.threads[thread].script.removeFirst()
        let call = environment.transaction(count, thread)
        if call.step != .leave { environment.threads[thread].calls.append(call) }
        return environment
      }
      guard environment.carryOut(call, thread) else { return nil }
      // Nobody notices a thread that goes, or one of the executor's that has nothing to do.
      while environment.threads[thread].calls.last?.step == .leave { environment.leave(thread) }
      while environment.threads.count > setting.scripts.count,
        environment.threads.last?.calls.isEmpty == true
      {
        environment.threads.removeLast()
      }
      return environment
    }

    private mutating func leave(_ thread: Int) {
      let call = threads[thread].calls.removeLast()
      if call.performed > call.added + setting.share { broken = "a call works for others" }
    }

    /// What `QueryCache.carryOut` does, up to the next thing that others could notice.
    private mutating func carryOut(_ present: Call, _ thread: Int) -> Bool {
      let depth = threads[thread].calls.count - 1
      var call = present
      if let told = call.toTell.first {
        call.toTell.removeFirst()
        tell(told)
        threads[thread].calls[depth] = call
        return true
      }
      switch call.step {
      case .leave: return false
      case .releaseAndPerform:
        call.toTell = box.takeReleased()
        call.step = .perform
      case .perform:
        if call.place < call.batch.end {
          // Nobody notices where between two transactions of its own the drainer is.
          repeat {
            let item = call.batch.items[call.place]
            if item != performed { broken = "\(item) is performed instead of \(performed)" }
            performed += 1
            call.place += 1
            call.performed += 1
            guard setting.nesting.contains(item) else { continue }
            if transaction(1, thread).step != .leave { broken = "an action does not just append" }
            break
          } while call.place < call.batch.end
        } else {
          call.batch.wasPerformed(to: call.place)
          call.step = box.performed(&call.batch, on: identity(thread))
          call.place = call.batch.start
        }
      case .ask where !call.hasAsked:
        call.hasAsked = true
        threads[thread].calls[depth] = call
        if setting.runsAtOnce { sweep(thread) } else { dueSweepers += 1 }
        if threads[thread].calls.count > 3 { broken = "askings pile up" }
        return true
      case .ask:
        call.hasAsked = false
        call.step = box.asked(on: identity(thread))
      case .appoint(let waiting):
        tell(waiting)
        call.step = .leave
      case .prepareToWait:
        threads[thread].isTold = false
        let isLow = setting.low.contains(thread)
        call.step = box.threadWaits(on: identity(thread), isLow: isLow, into: &call.batch)
        call.place = call.batch.start
        if case .wait = call.step {} else { threads[thread].isTold = nil }
      case .wait:
        guard threads[thread].isTold == true || setting.hasTimeouts else { return false }
        threads[thread].isTold = nil
        call.step = box.waited(on: identity(thread), into: &call.batch)
        call.place = call.batch.start
      }
      threads[thread].calls[depth] = call
      return true
    }

    private mutating func tell(_ told: ThreadIdentity) {
      for thread in threads.indices
      where identity(thread) == told && threads[thread].isTold != nil {
        threads[thread].isTold = true
      }
    }
  }
}
