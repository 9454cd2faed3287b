import Testing

@testable import StreamQuery

@Suite("Every state of a small world") struct EntrySmallWorldTests {
  struct Step {
    var parent: Int
    var input: EntryWorld.Input
  }

  /// Visits every state within a number of inputs, each once.
  ///
  /// - Returns: How many states there are.
  static func explore(_ start: EntryWorld, depth: Int) -> Int {
    var seen: Set<[Int16]> = [start.fingerprint]
    var steps: [Step] = []
    var frontier = [(environment: start, index: -1)]
    for _ in 0..<depth {
      var next: [(environment: EntryWorld, index: Int)] = []
      for (environment, index) in frontier {
        for input in EntryWorld.Input.allCases where environment.allows(input) {
          var changed = environment
          changed.apply(input)
          let broken = changed.broken(after: input, from: environment)
          guard broken.isEmpty else {
            Issue.record(
              "\(broken) by \(path(to: index, in: steps) + [input]) in \(changed.machine)"
            )
            return seen.count
          }
          // An entry that expired is gone.
          guard changed.actions.step != .drop, seen.insert(changed.fingerprint).inserted else {
            continue
          }
          steps.append(Step(parent: index, input: input))
          next.append((changed, steps.count - 1))
        }
      }
      frontier = next
    }
    return seen.count
  }

  static func path(to index: Int, in steps: [Step]) -> [EntryWorld.Input] {
    var path: [EntryWorld.Input] = []
    var index = index
    while index >= 0 {
      path.append(steps[index].input)
      index = steps[index].parent
    }
    return path.reversed()
  }

  struct Start: Sendable, CustomStringConvertible {
    var abandonment: Abandonment
    var networkMode: NetworkMode
    var isFull = false
    var inputs: [EntryWorld.Input] = []
    var depth: Int

    var description: String { "\(abandonment), \(networkMode), \(inputs), \(depth) deep" }

    var environment: EntryWorld {
      var environment = EntryWorld(abandonment, networkMode, isFull: isFull)
      for input in inputs { environment.apply(input) }
      return environment
    }
  }

  private static let depth = Seeds.times(6, orElse: 4)

  /// Every abandonment policy six inputs deep, or four; further starts lie in the middle of a life.
  @Test(arguments: [
    Start(abandonment: .linger(.seconds(2)), networkMode: .online, depth: depth),
    Start(abandonment: .cancel, networkMode: .online, depth: depth),
    Start(abandonment: .finish, networkMode: .offlineFirst, depth: depth),
    Start(
      abandonment: .finish,
      networkMode: .online,
      inputs: [.observePolling, .failAndRetry, .network, .tick],
      depth: 4
    ),
    Start(
      abandonment: .finish,
      networkMode: .online,
      isFull: true,
      inputs: [.write, .observePolling, .refetch],
      depth: Seeds.times(5, orElse: 4)
    ),
    Start(
      abandonment: .cancel,
      networkMode: .always,
      inputs: [.write, .tick, .observePolling, .failForGood, .observeQuiet, .mark],
      depth: 4
    ),
  ])
  func keepsTheInvariants(_ start: Start) {
    #expect(Self.explore(start.environment, depth: start.depth) > Seeds.times(2_000, orElse: 500))
  }

  // MARK: Long lives

  static func walk(_ seed: UInt64, _ body: (EntryWorld, EntryWorld.Input, EntryWorld) -> Bool) {
    var random = SmallRandom(seed: seed)
    let policies: [Abandonment] = [.cancel, .finish, .linger(.seconds(2)), .linger(.zero)]
    let modes: [NetworkMode] = [.online, .always, .offlineFirst]
    var environment = EntryWorld(
      policies[random.next(below: policies.count)],
      modes[random.next(below: modes.count)],
      isFull: seed % 2 == 1
    )
    for _ in 0..<250 {
      let inputs = EntryWorld.Input.allCases
      let input = inputs[random.next(below: inputs.count)]
      guard environment.allows(input) else { continue }
      let old = environment
      environment.apply(input)
      guard body(old, input, environment), environment.actions.step != .drop else { return }
    }
  }

  @Test(arguments: Seeds.few(10))
  func keepsTheInvariantsThroughALongLife(_ seed: UInt64) {
    Self.walk(seed) { old, input, new in
      let broken = new.broken(after: input, from: old)
      if !broken.isEmpty { Issue.record("\(broken) by \(input) in \(old.machine)") }
      return broken.isEmpty
    }
  }

  @Test(arguments: Seeds.few(2))
  func sameInputsInTheSameStateDoTheSame(_ seed: UInt64) {
    Self.walk(seed) { old, input, new in
      var again = old
      again.apply(input)
      expectEqual(again.actions, new.actions)
      expectEqual(again.machine, new.machine)
      return true
    }
  }

  /// Whatever the state, the timer comes to an end within an instant.
  @Test(arguments: Seeds.few(5))
  func theTimerMakesProgress(_ seed: UInt64) {
    Self.walk(seed) { _, _, environment in
      var environment = environment
      environment.environment.now = .seconds(
        Double(environment.environment.now.instant.nanoseconds) / 1e9 + 1_000
      )
      for _ in 0..<3 where environment.allows(.timer) && environment.actions.step != .drop {
        environment.apply(.timer)
      }
      let isDone = environment.actions.step == .drop || !environment.allows(.timer)
      expect(isDone)
      return isDone
    }
  }
}
