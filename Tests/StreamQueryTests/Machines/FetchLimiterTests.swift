import Testing

@testable import StreamQuery

struct FetchLimiterTests {
  private typealias Room = FetchLimiter<String>

  /// Lets fetches run, as long as there is room, with the urgency that the room knows of them.
  private func run(_ room: inout Room, _ urgency: [String: FetchUrgency]) -> [String] {
    var names: [String] = []
    while let name = room.next(urgency: { urgency[$0] }) { names.append(name) }
    return names
  }

  @Test func asManyRunAsThereIsRoomFor() {
    var room = Room(limit: 2)
    let entered = ["a", "b", "c"].map { room.acquire($0, .high) }
    expectEqual(entered, [true, true, false])
    expect(!room.hasNext && room.waitingCount == 1)
    room.release("a")
    expect(room.hasNext)
    let names = run(&room, ["c": .high])
    expect(names == ["c"] && room.waitingCount == 0)
  }

  @Test func aLimitBelowOneIsOne() {
    for limit in [Int.min, -1, 0, 1] {
      var room = Room(limit: limit)
      let entered = [room.acquire("a", .low), room.acquire("b", .low)]
      expectEqual(entered, [true, false])
    }
  }

  @Test func theMostUrgentIsNextAndThenTheOneThatWaitsLongest() {
    var room = Room(limit: 1)
    _ = room.acquire("first", .background)
    let urgency: [String: FetchUrgency] = [
      "a": .low, "b": .high, "c": .medium, "d": .high, "e": .background,
    ]
    for name in ["a", "b", "c", "d", "e"] { _ = room.acquire(name, urgency[name] ?? .low) }
    var names = ["first"]
    while let last = names.last {
      room.release(last)
      let next = run(&room, urgency)
      if next.isEmpty { break }
      names += next
    }
    expectEqual(names, ["first", "b", "d", "c", "a", "e"])
  }

  @Test func aFetchThatBecomesMoreUrgentJoinsABetterLine() {
    var room = Room(limit: 1)
    _ = room.acquire("first", .high)
    for name in ["a", "b", "c"] { _ = room.acquire(name, .low) }
    room.raise("c", to: .high)
    room.raise("b", to: .background)
    room.raise("nobody", to: .high)
    room.release("first")
    var names = run(&room, ["a": .low, "b": .low, "c": .high])
    expectEqual(names, ["c"])
    room.release("c")
    names = run(&room, ["a": .low, "b": .low])
    expectEqual(names, ["a"])
    expectEqual(room.waitingCount, 1)
  }

  @Test func aFetchThatIsLessUrgentNowWaitsForItsTurnAmongThose() {
    var room = Room(limit: 1)
    _ = room.acquire("first", .high)
    _ = room.acquire("a", .high)
    _ = room.acquire("b", .medium)
    room.release("first")
    var names = run(&room, ["a": .low, "b": .medium])
    expectEqual(names, ["b"])
    room.release("b")
    names = run(&room, ["a": .low])
    expectEqual(names, ["a"])
  }

  @Test func whatLeavesWhileItWaitsNeverRuns() {
    var room = Room(limit: 1)
    _ = room.acquire("first", .high)
    _ = room.acquire("a", .high)
    _ = room.acquire("b", .high)
    room.release("a")
    room.release("first")
    room.release("first")
    let names = run(&room, ["a": .high, "b": .high])
    expectEqual(names, ["b"])
    // Its entry is gone: it is not asked for again.
    _ = room.acquire("c", .high)
    room.release("b")
    let rest = run(&room, [:])
    expect(rest.isEmpty && room.waitingCount == 0 && !room.hasNext)
  }

  @Test func thoseThatComeAndGoTakeNoRoomInTheLines() {
    var room = FetchLimiter<Int>(limit: 1)
    _ = room.acquire(-1, .high)
    _ = room.acquire(-2, .low)
    for number in 0..<10_000 {
      _ = room.acquire(number % 7, FetchUrgency.allCases[number % 4])
      #expect(room.placeCount < 100)
      room.release(number % 7)
    }
    _ = room.acquire(-3, .low)
    room.release(-1)
    var next = room.next { _ in .low }
    expectEqual(next, -2)
    room.release(-2)
    next = room.next { _ in .low }
    expect(next == -3 && room.waitingCount == 0)
  }

  @Test func whoeverComesDoesNotOvertakeThoseThatWait() {
    var room = Room(limit: 1)
    _ = room.acquire("first", .high)
    _ = room.acquire("second", .high)
    room.release("first")
    let begins = room.acquire("first", .medium)
    let names = run(&room, ["first": .medium, "second": .high])
    expect(!begins && names == ["second"])
  }

  @Test func aGuestRunsAtOnceUntilItLeaves() {
    var room = Room(limit: 1)
    _ = room.acquire("host", .high)
    _ = room.acquire("other", .high)
    _ = room.acquire("guest", .high)
    let hasWaited = [room.exempt("guest"), room.exempt("host"), room.exempt("new")]
    expect(hasWaited == [true, false, false] && room.waitingCount == 1)
    // Between two attempts, it is still a guest.
    room.release("guest")
    var begins = [room.acquire("guest", .low), room.acquire("new", .low)]
    expectEqual(begins, [true, true])
    room.exemptionEnded("guest")
    begins = [room.acquire("guest", .low)]
    expectEqual(begins, [false])
    room.release("host")
    let names = run(&room, ["other": .high, "guest": .low])
    expectEqual(names, ["other"])
  }

  @Test("against a list that is searched, over random calls", arguments: Seeds.few(20))
  func againstAList(seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var room = FetchLimiter<Int>(limit: 3)
    var running: Set<Int> = []
    var waiting: [(name: Int, urgency: FetchUrgency)] = []
    for step in 0..<400 {
      let urgency = FetchUrgency.allCases[random.next(below: 4)]
      switch random.next(below: 4) {
      case 0, 1:
        let begins = room.acquire(step, urgency)
        expectEqual(begins, running.count < 3)
        if begins { running.insert(step) } else { waiting.append((step, urgency)) }
      case 2:
        guard let name = running.min() else { continue }
        running.remove(name)
        room.release(name)
      default:
        guard !waiting.isEmpty else { continue }
        let place = random.next(below: waiting.count)
        let (name, old) = waiting[place]
        if urgency > old {
          waiting.remove(at: place)
          waiting.append((name, urgency))
        }
        room.raise(name, to: urgency)
      }
      let present = waiting
      while let name = room.next(urgency: { name in present.first { $0.name == name }?.urgency }) {
        let best = waiting.map(\.urgency).max()
        let place = waiting.firstIndex { $0.urgency == best }
        expectEqual(name, place.map { waiting[$0].name })
        running.insert(name)
        waiting.removeAll { $0.name == name }
      }
      #expect(room.waitingCount == waiting.count && running.count <= 3)
      expect(running.count == 3 || waiting.isEmpty)
    }
  }
}

struct FetchUrgencyTests {
  @Test func itFollowsThePriorityOfTheCodeThatWaits() {
    let priorities: [TaskPriority] = [.background, .low, .utility, .medium, .high, .userInitiated]
    expectEqual(
      priorities.map { FetchUrgency(WorkPriority($0)) },
      [.background, .low, .low, .medium, .high, .high]
    )
    // A thread without a task.
    expectEqual(FetchUrgency(WorkPriority(TaskPriority(rawValue: 0))), .medium)
  }
}
