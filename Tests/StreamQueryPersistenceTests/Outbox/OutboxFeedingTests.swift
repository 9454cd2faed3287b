import Testing

@testable import StreamQueryPersistence

@Suite("One thread at a time begins runs of an outbox") struct OutboxFeedingTests {
  enum Input: CaseIterable {
    case asked, askedForNothing, missed, loaded, fed, fedAll
  }

  /// An outbox with the threads around it.
  struct World {
    var feeding = OutboxFeeding.resting
    /// How many threads begin runs.
    var threadCount = 0
    /// Whether something came that no thread has looked at.
    var isUnseen = false
    var isLoaded = false
    var openCount = 0
    var goesOnUnasked = false

    func allows(_ input: Input) -> Bool {
      switch input {
      case .asked, .askedForNothing: true
      case .missed, .fed, .fedAll: threadCount > 0
      case .loaded: !isLoaded
      }
    }

    mutating func apply(_ input: Input) {
      switch input {
      case .asked, .askedForNothing:
        let isWork = input == .asked
        if feeding.asked(for: isWork ? 1 : nil) != nil {
          threadCount += 1
          isUnseen = false
        } else {
          isUnseen = isUnseen || threadCount > 0
        }
      case .missed:
        feeding.missed()
        isUnseen = true
      case .loaded:
        isLoaded = true
        if feeding.loaded() { openCount += 1 }
      case .fed, .fedAll:
        let (next, opens) = feeding.fed(for: input == .fed ? 1 : nil)
        if next == nil { threadCount -= 1 }
        goesOnUnasked = next != nil && !isUnseen
        // Work that was offered was looked at.
        if next != nil || input == .fedAll { isUnseen = false }
        if opens { openCount += 1 }
      }
    }

    /// The invariants that do not hold.
    var broken: [String] {
      var broken: [String] = []
      if goesOnUnasked { broken.append("a thread goes on only if something came") }
      if threadCount > 1 { broken.append("one thread at a time") }
      if (feeding == .resting) != (threadCount == 0) { broken.append("at rest without a thread") }
      if threadCount == 0, isUnseen { broken.append("what comes meanwhile is looked at") }
      if threadCount == 0, openCount != (isLoaded ? 1 : 0) {
        broken.append("opened once, and only when it is loaded")
      }
      if openCount > 1 || openCount == 1 && !isLoaded {
        broken.append("opened once, and only when it is loaded")
      }
      return broken
    }
  }

  @Test(
    "whatever comes while a thread begins runs is looked at, and what waits for the store goes on once"
  )
  func everyOrder() {
    var frontier = [(world: World(), path: [Input]())]
    for _ in 0..<7 {
      var next: [(world: World, path: [Input])] = []
      for (world, path) in frontier {
        for input in Input.allCases where world.allows(input) {
          var changed = world
          changed.apply(input)
          let path = path + [input]
          guard changed.broken.isEmpty else {
            Issue.record("\(changed.broken) by \(path)")
            return
          }
          next.append((changed, path))
        }
      }
      frontier = next
    }
    #expect(frontier.count > 1_000)
  }
}
