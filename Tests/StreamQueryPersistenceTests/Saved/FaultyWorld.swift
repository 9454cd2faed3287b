import StreamQuery
import StreamQueryPersistence
import Synchronization

@testable import StreamQueryTesting

/// The launches of an app over one memory, each with a ``FaultyStore``, and what must be true of them.
///
/// The values of a key only grow, so that an older one is recognised.
final class FaultyWorld {
  /// What became of a key since the launch began: the first value is what the store had.
  private struct History {
    var values: [Int?]
    /// The position from which on the store may have a value.
    var durable = 0
  }

  /// A call of `save()`, and what had happened when it was made.
  private struct Save {
    let answer: SaveAnswer
    let positions: [Int]
  }

  private let simulation: Simulation
  private let memory = MemoryStore()
  private var random: SplitMix
  /// Whether stores of this world say that they are full: then records may leave.
  private let saysFull: Bool
  private let counter = Counter()
  private var histories = [History](repeating: History(values: [nil]), count: 8)
  private var saves: [Save] = []
  private var launch = 0
  private(set) var problems: [String] = []
  private(set) var tally = Tally()

  init(seed: UInt64) {
    simulation = Simulation(seed: seed)
    random = SplitMix(seed: ~seed)
    saysFull = seed.isMultiple(of: 3)
  }

  private func key(_ number: Int) -> QueryKey<Int> { ["n", number] }

  private func query(_ number: Int) -> Query<Int> {
    Query(key: key(number)) { [counter, clock = simulation.clock] in
      try await clock.sleep(for: .seconds(1))
      return counter.next()
    }
  }

  private func check(_ isTrue: Bool, _ problem: @autoclosure () -> String) {
    if !isTrue { problems.append("launch \(launch): \(problem())") }
  }

  // MARK: A launch

  /// One life of the process, until it ends or is killed, and what the next one finds.
  func live(_ number: Int) {
    launch = number
    let store = FaultyStore(memory, simulation.clock, seed: random.next(), saysFull: saysFull)
    let client = QueryClient(simulation: simulation) { $0.persistence = Persistence(in: store) }
    let events = simulation.record(client.events)
    let begin = simulation.now
    let steps = 5 + random.next(below: 40)
    for _ in 0..<steps where !store.log.isDead { step(client) }
    if random.next(below: 2) == 0 { store.die() }
    simulation.settle()
    compare(failures(in: events), store.log, simulation.now - begin)
    client.shutDown()
    // A process that is not killed lives until all is written.
    simulation.advance(by: .minutes(10))
    store.die()
    takeAnswers()
    check(saves.isEmpty, "save() did not return")
    saves = []
    tally.faults.formUnion(store.log.faults)
    findWhatIsKept(fulls: store.log.faults.count { $0 == .full })
  }

  /// One thing that an app does, or a wait.
  private func step(_ client: QueryClient) {
    let number = random.next(below: histories.count)
    switch random.next(below: 20) {
    case 0..<7:
      let value = counter.next()
      client.setData(value, for: key(number))
      histories[number].values.append(value)
    case 7..<9:
      client.remove(.key(key(number)))
      histories[number].values.append(nil)
    case 9..<11: fetch(number, client)
    case 11..<13: _ = save(client)
    case 13..<15:
      let task = save(client)
      simulation.run { await task.value }
    case 15 where random.next(below: 3) == 0:
      client.clear()
      for index in histories.indices { histories[index].values.append(nil) }
    default: simulation.advance(by: .milliseconds(random.next(below: 5_000)))
    }
    takeAnswers()
  }

  /// Whatever the store does, a fetch takes its second, after the time that queries wait for stores.
  private func fetch(_ number: Int, _ client: QueryClient) {
    let query = query(number)
    let begin = simulation.now
    let value = simulation.run { try? await client.fetch(query) }
    check(simulation.now - begin <= .seconds(11), "a fetch took \(simulation.now - begin)")
    check(value != nil && client.data(for: query) == value, "a fetch brought nothing")
    histories[number].values.append(value)
  }

  private func save(_ client: QueryClient) -> Task<Void, Never> {
    let answer = SaveAnswer()
    saves.append(Save(answer: answer, positions: histories.map { $0.values.count - 1 }))
    return simulation.task {
      do {
        try await client.save()
        answer.give(nil)
      } catch {
        answer.give(error)
      }
    }
  }

  /// Takes note of the calls of `save()` that have returned.
  private func takeAnswers() {
    saves.removeAll { save in
      guard let result = save.answer.result else { return false }
      switch result {
      case .success:
        tally.acknowledged += 1
        for (index, position) in save.positions.enumerated() {
          histories[index].durable = max(histories[index].durable, position)
        }
      case .failure(let error):
        tally.refused += 1
        check(error is QuerySaveError, "save() threw \(error)")
      }
      return true
    }
  }

  // MARK: Events

  private func failures(in events: ResultRecording<QueryEvent>) -> [any Error] {
    events.values.compactMap {
      if case .persistenceFailed(let error) = $0.kind { error } else { nil }
    }
  }

  /// Sees that each error of the store was told, and that it is full once, however often it says so.
  private func compare(_ told: [any Error], _ log: FaultyStore.Log, _ life: Duration) {
    var slow = 0
    var names: [String] = []
    for error in told {
      switch error {
      case let error as QueryStoreError: names.append(FaultyStore.name(of: error))
      case SavedValueError.slowStore: slow += 1
      default: check(false, "the event is not of the store: \(error)")
      }
    }
    let isSlow = log.loading ?? .zero > .seconds(10) && life >= .seconds(10)
    check(slow == (isSlow ? 1 : 0), "\(slow) events of slowness")
    var expected: [String] = []
    for (index, answer) in log.answers.enumerated() where answer != "written" {
      if answer == "full", index > 0, log.answers[index - 1] == "full" { continue }
      expected.append(answer)
    }
    // What a process is told after its end nobody can remember.
    if log.isDead { names = Array(names.prefix(expected.count)) }
    check(names == expected, "told \(names) of \(log.answers)")
  }

  // MARK: The next launch

  /// Finds what the store has now, which a launch without faults shows.
  private func findWhatIsKept(fulls: Int) {
    let before = memory.load(.main).records
    let client = QueryClient(simulation: simulation) { [memory] in
      $0.persistence = Persistence(in: memory)
    }
    simulation.run { try? await client.restore() }
    var missing = 0
    for number in histories.indices {
      let found = client.data(for: key(number))
      let history = histories[number]
      tally.restored += found == nil ? 0 : 1
      if !history.values[history.durable...].contains(found) {
        if found == nil { missing += 1 }
        check(found == nil, "\(number) is \(String(describing: found)) of \(history)")
      }
      histories[number] = History(values: [found])
    }
    // With so few records, each time that the store is full costs one.
    check(missing <= fulls, "\(missing) values are gone")
    tally.lost += missing
    client.shutDown()
    simulation.settle()
    check(memory.load(.main).records == before, "a launch that only reads has written")
  }
}

/// What happened in the launches of a ``FaultyWorld``.
struct Tally {
  var faults: Set<FaultyStore.Fault> = []
  var acknowledged = 0
  var refused = 0
  var restored = 0
  var lost = 0
}

/// Numbers that grow, for fetches and writes alike.
private final class Counter: Sendable {
  private let last = Mutex(0)

  func next() -> Int {
    last.withLock {
      $0 += 1
      return $0
    }
  }
}

/// How a call of `save()` ended, as soon as it has.
private final class SaveAnswer: Sendable {
  private let answer = Mutex<Result<Void, any Error>?>(nil)

  var result: Result<Void, any Error>? { answer.withLock { $0 } }

  func give(_ error: (any Error)?) {
    answer.withLock { $0 = error.map { .failure($0) } ?? .success(()) }
  }
}
