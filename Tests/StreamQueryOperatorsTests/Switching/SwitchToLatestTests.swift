import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

struct SwitchToLatestTests {
  /// Switches between inputs that are named by the outer elements.
  private func switching(
    _ outer: String,
    _ inner: [String: String]
  ) -> (MarbleWorld) -> any AsyncSequence<String, Never> & Sendable {
    { environment in
      let inputs = inner.mapValues { environment.input($0) }
      let none = environment.input("|")
      return environment.input(outer).switchToLatest { inputs[$0] ?? none }
    }
  }

  private func expect(
    _ expected: String,
    asks: String? = nil,
    outer: String,
    _ inner: [String: String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectDiagram(expected, asks: asks, sourceLocation: sourceLocation) { environment in
      let inputs = inner.mapValues { environment.input($0) }
      let none = environment.input("|")
      return environment.input(outer).switchToLatest { inputs[$0] ?? none }
    }
  }

  @Test func theNewestElementDecides() {
    expect(
      "            -1-2--x-y--|",
      outer: "     a---b------|",
      [
        "a": "     -1-2-3-----",
        "b": "     ------x-y-|",
      ]
    )
  }

  @Test func theEndOfTheOuterLeavesTheNewest() {
    expect("-1-2|", outer: "a|", ["a": "-1-2|"])
  }

  @Test func theEndOfAnInnerWaitsForTheOuter() {
    expect("-1---2--|", outer: "a---b---|", ["a": "-1|", "b": "-----2|"])
    expect("-1---|", outer: "a----|", ["a": "-1|"])
  }

  @Test func noElementMeansNothingToFollow() {
    expect("---|", outer: "---|", [:])
    expect("|", outer: "|", [:])
  }

  @Test func onlyTheLastOfABurstIsFollowed() {
    expect("-x-y|", outer: "[abc]|", ["a": "-1-2|", "b": "-3-4|", "c": "-x-y|"])
  }

  @Test func anElementThatEqualsTheOneBeforeOpensNothing() {
    expect(
      "            -1-2-3-x--|",
      outer: "     a-a---b---|",
      [
        "a": "     -1-2-3-----",
        "b": "     -------x-|",
      ]
    )
  }

  private struct Opaque: Sendable {
    var name: String
  }

  @Test func everyElementOpensOnRequestAndWhereElementsCannotBeCompared() {
    func opened(
      _ make: (
        AsyncStream<String>,
        @escaping @Sendable (String) -> AsyncStream<String>
      ) -> any AsyncSequence<String, Never> & Sendable
    ) -> [String] {
      let simulation = Simulation(seed: 1)
      let opened = Mutex<[String]>([])
      let (outer, continuation) = AsyncStream.makeStream(of: String.self)
      let recording = simulation.record(
        make(outer) { name in
          opened.withLock { $0.append(name) }
          return AsyncStream { $0.finish() }
        }
      )
      for name in ["a", "a", "b", "b", "a"] {
        continuation.yield(name)
        simulation.settle()
      }
      recording.cancel()
      simulation.settle()
      return opened.withLock { $0 }
    }
    #expect(opened { outer, inner in outer.switchToLatest { inner($0) } } == ["a", "b", "a"])
    let all = ["a", "a", "b", "b", "a"]
    #expect(
      opened { outer, inner in outer.switchToLatest(removingDuplicates: false) { inner($0) } }
        == all
    )
    #expect(
      opened { outer, inner in
        outer.map { Opaque(name: $0) }.switchToLatest { inner($0.name) }
      } == all
    )
  }

  @Test func aFailureOfTheOuterStopsTheInner() {
    expectDiagram("-1^") { environment in
      let inner = environment.input("-1-2|")
      return environment.failing("a-^").switchToLatest { _ in inner }
    }
  }

  @Test func aFailureOfTheNewestStopsTheOuter() {
    expectDiagram("-1^") { environment in
      let inner = environment.failing("-1^")
      return environment.input("a------b").switchToLatest { _ in inner }
    }
    expectDiagram("-1^") { environment in
      let inner = environment.failing("-1^")
      return environment.failing("a------b").switchToLatest { _ in inner }
    }
  }

  @Test func aFailureOfAStreamThatWasLeftIsNobodys() {
    expectDiagram("-1-x-y|") { environment in
      let inner = ["a": environment.failing("-1--^"), "b": environment.failing("---x-y|")]
      let none = environment.failing("|")
      return environment.input("a-b|").switchToLatest { inner[$0] ?? none }
    }
  }

  @Test func failuresOfDifferentTypesMix() {
    expectDiagram("-1-!") { environment in
      let inner = environment.input("-1----2").timeout(after: .ticks(2))
      return environment.failing("a------b").switchToLatest { _ in inner }
    }
    expectDiagram("-1^") { environment in
      let inner = environment.input("-1----2").timeout(after: .ticks(9))
      return environment.failing("a-^").switchToLatest { _ in inner }
    }
  }

  @Test func cancellationEndsAtOnce() {
    expect(";", outer: "---a", ["a": "-----1"])
    expect("--;", outer: "a---", ["a": "-----1"])
    expect("-1-;", outer: "a---", ["a": "-1---2"])
    expect("-1---;", outer: "a---b", ["a": "-1---", "b": "-------1"])
  }

  @Test func aSlowConsumerMissesTheStreamsThatWereLeft() {
    expect("-1------x|", asks: "x-------xx", outer: "a--b|", ["a": "-12-3", "b": "----x|"])
  }

  @Test func aConsumerThatStopsLeavesNothing() {
    expectDiagram("-[1|]") { environment in
      let inner = environment.input("-1-2-3")
      return environment.input("a-----b").switchToLatest { _ in inner }.prefix(1)
    }
  }

  @Test(arguments: 0..<64 as Range<UInt64>)
  func theNewStreamIsSubscribedBeforeTheOldOneIsLeft(seed: UInt64) {
    let environment = MarbleWorld(seed: seed)
    let inner = [
      "a": environment.input("-------", name: "a"), "b": environment.input("-------", name: "b"),
    ]
    let outer = environment.input("a-b-a", name: "outer")
    let none = environment.input("", name: "none")
    environment.consume(
      outer.switchToLatest { inner[$0] ?? none },
      asks: nil,
      cancelAt: nil
    ) { $0 }
    _ = environment.play(until: 6)
    #expect(environment.listening == ["+outer", "+a", "+b", "-a", "+a", "-b"])
    environment.simulation.shutDown()
  }

  @Test(arguments: 0..<64 as Range<UInt64>)
  func aStreamThatBothShareNeverLosesItsLastListener(seed: UInt64) {
    let environment = MarbleWorld(seed: seed)
    let shared = environment.input("", name: "s")
    environment.consume(
      environment.input("[abc]-d-e", name: "outer").switchToLatest { _ in shared },
      asks: nil,
      cancelAt: nil
    ) { $0 }
    _ = environment.play(until: 6)
    let changes = environment.listening.filter { $0.hasSuffix("s") }.map { $0 == "+s" ? 1 : -1 }
    var count = 0
    let counts = changes.map { change in
      count += change
      return count
    }
    #expect(counts.allSatisfy { $0 >= 1 }, "\(environment.listening)")
    #expect(count == 1)
    environment.simulation.shutDown()
  }
}
