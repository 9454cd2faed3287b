import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

/// What diagrams cannot show: releases of values, executors.
struct OperatorStorageTests {
  /// Releasing a value is user code: under the lock this would never return.
  @Test func anElementMayCancelTheConsumerWhenItIsReleased() {
    let simulation = Simulation(seed: 1)
    let (stream, continuation) = AsyncStream<Token>.makeStream()
    let consumer = simulation.task("consumer") { [clock = simulation.clock] in
      for await _ in stream.debounce(for: .seconds(1), clock: clock) {}
    }
    continuation.yield(Token { consumer.cancel() })
    simulation.settle()
    expect(!simulation.isIdle)
    continuation.yield(Token {})
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test func anInnerStreamMayCancelTheConsumerWhenItIsReleased() {
    let simulation = Simulation(seed: 1)
    let (stream, continuation) = AsyncStream<Token>.makeStream()
    let consumer = simulation.task("consumer") {
      let results = stream.switchToLatest { token in
        // Never yields, and holds the token for as long as it lives.
        AsyncStream<Int> { $0.onTermination = { _ in _ = token } }
      }
      for await _ in results {}
    }
    continuation.yield(Token { consumer.cancel() })
    simulation.settle()
    expect(!simulation.isIdle)
    continuation.yield(Token {})
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test func breakingOutOfALoopStopsTheTasks() {
    let environment = MarbleWorld(seed: 1)
    let (first, second) = (environment.input("a-b"), environment.input("-c"))
    environment.simulation.run {
      for await _ in merge(first, second) { break }
    }
    expectEqual(first.channel.listeners, 0)
    expectEqual(second.channel.listeners, 0)
    expectEqual(first.channel.asks, 1)
    environment.simulation.shutDown()
  }

  /// A job on another executor would be reported by the simulation as a failure.
  @Test func tasksAndInnerStreamsInheritExecutorAndScheduling() {
    let simulation = Simulation(seed: 1)
    let scheduled = Mutex<[Bool]>([])
    simulation.task("consumer") {
      let outer = IntervalSequence(every: .seconds(1))
      let results = outer.switchToLatest { tick in
        scheduled.withLock { $0.append(Scheduling.current.clock is SimulationClock) }
        return merge(
          IntervalSequence(every: .milliseconds(300)),
          IntervalSequence(every: .seconds(9))
        )
      }
      for await _ in results.prefix(7) {}
    }
    simulation.advance(by: .seconds(3.7))
    expectEqual(scheduled.withLock { $0 }, [true, true, true])
    expectEqual(simulation.leakReport(), [])
    expectEqual(simulation.failures, [])
  }

  @Test(arguments: 1..<20 as Range<UInt64>)
  func theSameSeedTakesTheSameCourse(seed: UInt64) {
    let hashes = (0..<2).map { _ in
      let environment = MarbleWorld(seed: seed)
      let merged = merge(environment.input("abc[de]|"), environment.input("[ab]c-d|"))
      environment.consume(
        merged.debounce(for: .ticks(1), clock: environment.clock),
        asks: nil,
        cancelAt: nil
      ) {
        $0
      }
      _ = environment.play(until: 5)
      return environment.simulation.scheduleHash
    }
    expectEqual(hashes[0], hashes[1])
  }
}

/// Does something when the last reference to it goes away.
private final class Token: Sendable {
  private let onRelease: @Sendable () -> Void

  init(_ onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = onRelease
  }

  deinit { onRelease() }
}
