import Testing

import StreamQuery
@testable import StreamQueryPersistence

@Suite("When a part of a store is written, and whom that answers") struct StoreWriterTests {
  enum Input: CaseIterable {
    case changed, requested, held, released, waited, waitedFormer, wrote, wroteMore, failed, ended,
      erased
  }

  /// A store with its tasks and callers; callers have numbers.
  struct World {
    var writer = StoreWriter(throttle: .seconds(1))
    /// The numbers of tasks that wait.
    var waiting: Set<UInt64> = []
    var writing: UInt64?
    var last: UInt64 = 0
    /// Callers by number, with the round that has to begin before they are answered; `nil` while on hold.
    var callers: [Int: Int?] = [:]
    var answers: [(caller: Int, answer: StoreWriter.Answer)] = []
    var callerCount = 0
    var roundCount = 0
    var isChanged = false
    var isErased = false
    var hasEnded = false
    var trouble: [String] = []

    func allows(_ input: Input) -> Bool {
      switch input {
      case .changed, .requested: !isErased
      case .held: !isErased && callerCount < 2
      case .released: !isErased && !callers.isEmpty
      case .waited: waiting.contains(last)
      case .waitedFormer: waiting.contains { $0 != last }
      case .wrote, .wroteMore, .failed: writing != nil
      case .ended: !hasEnded
      case .erased: true
      }
    }

    mutating func apply(_ input: Input) {
      switch input {
      case .changed: start(writer.changed())
      case .requested: start(writer.requested())
      case .held:
        let answer = StoreWriter.Answer()
        writer.hold(answer)
        callers[callerCount] = .some(nil)
        answers.append((callerCount, answer))
        callerCount += 1
      case .released:
        for (caller, round) in callers where round == nil { callers[caller] = roundCount + 1 }
        start(writer.released())
      case .waited: waited(last)
      case .waitedFormer:
        guard let former = waiting.first(where: { $0 != last }) else { return }
        waited(former)
      case .wrote: wrote(nil)
      case .wroteMore: wrote(nil, hasMore: true)
      case .failed: wrote(.denied)
      case .ended:
        hasEnded = true
        if !writer.clientEnded(isErased: false).isFirst { trouble.append("the first end") }
        for (caller, round) in callers where round == nil { callers[caller] = roundCount + 1 }
        start(writer.lastRound())
      case .erased:
        let (isFirst, answers) = writer.clientEnded(isErased: true)
        if isFirst == hasEnded { trouble.append("the first end is told apart") }
        (hasEnded, isErased) = (true, true)
        if answers.count != callers.count { trouble.append("all are answered at the end") }
        callers = [:]
      }
    }

    private mutating func start(_ task: UInt64?) {
      isChanged = true
      guard let task else {
        if waiting.isEmpty, writing == nil { trouble.append("a change starts a task") }
        return
      }
      if writing != nil { trouble.append("one task at a time") }
      if task <= last { trouble.append("tasks have numbers of their own") }
      if hasEnded, writer.delay > .zero { trouble.append("nothing waits after the end") }
      last = task
      waiting.insert(task)
    }

    private mutating func waited(_ task: UInt64) {
      waiting.remove(task)
      guard writer.waited(task) else {
        if task == last, !isErased { trouble.append("the last task writes") }
        return
      }
      if writing != nil { trouble.append("one task at a time") }
      if task != last || isErased {
        trouble.append("only the last task writes, and nothing that was erased")
      }
      begin(task)
    }

    private mutating func begin(_ task: UInt64) {
      writing = task
      last = task
      roundCount += 1
      isChanged = false
    }

    private mutating func wrote(_ error: QueryStoreError?, hasMore: Bool = false) {
      writing = nil
      guard let round = writer.wrote(error, isDirty: error != nil, hasMore: hasMore) else {
        if !isErased { trouble.append("only what was erased is not written again") }
        return
      }
      if (writer.roundError == nil) != (error == nil) { trouble.append("it has the last error") }
      let due = callers.filter { $0.value.map { $0 <= roundCount } ?? false }.map(\.key)
      let answered = answers.filter { known in round.answers.contains { $0 === known.answer } }.map(
        \.caller
      )
      if Set(due) != Set(answered) { trouble.append("\(answered) were answered instead of \(due)") }
      for caller in due { callers[caller] = nil }
      switch round.step {
      case .write: begin(round.task)
      case .wait(let time):
        if callers.contains(where: { $0.value != nil }) {
          trouble.append("no caller waits for a pause")
        }
        if time <= .zero { trouble.append("it waits before it writes again") }
        if hasEnded { trouble.append("nothing waits after the end") }
        last = round.task
        waiting.insert(last)
      case .rest:
        let isAwaited = callers.contains { $0.value != nil }
        if isChanged || hasMore || isAwaited {
          trouble.append("nothing rests before all is written")
        }
        if error != nil, !hasEnded { trouble.append("what failed is tried again") }
        if hasEnded, !writer.stage.isOver { trouble.append("the last round is over") }
      }
    }
  }

  @Test("one task at a time writes, all that came before; it answers those who asked before")
  func everyOrder() {
    var count = 0
    var frontier = [(world: World(), path: [Input]())]
    for _ in 0..<6 {
      var next: [(world: World, path: [Input])] = []
      for (world, path) in frontier {
        for input in Input.allCases where world.allows(input) {
          var changed = world
          changed.apply(input)
          guard changed.trouble.isEmpty else {
            Issue.record("\(changed.trouble) by \(path + [input])")
            return
          }
          count += 1
          next.append((changed, path + [input]))
        }
      }
      frontier = next
    }
    #expect(count > 10_000)
  }

  @Test("a task that starts behind a later one does not go on")
  func lateTask() {
    var last = StoreWorkerTask()
    let task = Task {}
    let goesOn = [2, 1, 3].map { last.started(task, $0) }
    expectEqual(goesOn, [true, false, true])
  }
}
