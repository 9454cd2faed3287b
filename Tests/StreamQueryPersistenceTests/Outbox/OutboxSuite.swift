import StreamQueryPersistence
import StreamQueryTesting
import Synchronization

#if TSAN_LOCK
@testable import StreamQuery
#else
import StreamQuery
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a test sends: a number, and a text that may be a temporary identifier.
struct Note: Codable, Equatable, Sendable, CustomStringConvertible {
  var number: Int
  var text = ""

  var description: String { text.isEmpty ? "\(number)" : "\(number)\(text)" }
}

/// A server that answers after 10 ms, and can be told to fail.
final class NoteServer: Sendable {
  let log = Notes<String>()
  let keys = Notes<UUID>()
  /// The errors of the next requests, by number.
  let failures = TestLock<[Int: [any Error]]>([:])
  let clock: SimulationClock

  init(_ simulation: Simulation) { clock = simulation.clock }

  func fail(_ number: Int, _ errors: any Error...) {
    failures.withLock { $0[number] = errors }
  }

  func send(_ note: Note, _ context: MutationContext) async throws -> String {
    log.add("\(clock.now.offset.milliseconds) \(note)")
    keys.add(context.idempotencyKey)
    try await Scheduling.current.clock.sleep(for: .milliseconds(10))
    let error = failures.withLock { failures -> (any Error)? in
      guard var errors = failures[note.number], !errors.isEmpty else { return nil }
      let error = errors.removeFirst()
      failures[note.number] = errors
      return error
    }
    if let error {
      log.add("\(clock.now.offset.milliseconds) \(note) failed")
      throw error
    }
    log.add("\(clock.now.offset.milliseconds) \(note) done")
    return "real\(note.number)"
  }
}

/// Tests of clients that keep their durable runs in a ``SlowStore``.
protocol OutboxSuite {
  var simulation: Simulation { get }
  var store: SlowStore { get }
  var online: ManualSignal<Bool> { get }
  var server: NoteServer { get }
}

extension OutboxSuite {
  func client(
    in store: SlowStore? = nil,
    knowing mutations: [any DurableMutation] = [],
    _ change: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    let place = store ?? self.store
    let client = QueryClient(simulation: simulation) { [online] in
      $0.connectivity = Connectivity { online }
      $0.outbox = OutboxConfiguration(in: place, mutations: mutations)
      change(&$0)
    }
    simulation.settle()
    return client
  }

  /// Ends the client as if the process was killed.
  ///
  /// - Returns: The store as the next process finds it.
  func kill(_ client: QueryClient) -> SlowStore {
    let next = copy()
    client.shutDown()
    simulation.settle()
    return next
  }

  func note(_ key: AnyQueryKey = "note") -> Mutation<Note, String> {
    Mutation(key: key) { [server] input, context in try await server.send(input, context) }
      .scope("notes")
      .durable()
  }

  /// What is kept: the inputs, in the order of their keys.
  func kept(in store: SlowStore? = nil) -> [String] {
    (store ?? self.store).memory.load(.main).records.map { record in
      let text = String(decoding: record.value, as: UTF8.self)
      // The header is an object without objects in it.
      let input = text.drop { $0 != "}" }.dropFirst()
      return String(input.filter { $0 != "\"" })
    }
  }

  /// Another store with the same records: the process was killed, and nothing of it goes on.
  func copy() -> SlowStore {
    let memory = MemoryStore()
    let batch = StoreBatch(generation: .first, puts: store.memory.load(.main).records)
    try? memory.write(batch, to: .main)
    return SlowStore(memory, clock: simulation.clock)
  }

  /// The items as `note 1 waiting`.
  func shown(_ items: OutboxItems) -> [String] {
    items.map { item in
      let input = (try? item.input(as: Note.self)).map { "\($0)" } ?? "?"
      let state =
        switch item.state {
        case .saving: "saving"
        case .waiting: "waiting"
        case .sending: "sending"
        case .stopped(let error): "stopped (\(error))"
        case .unregistered: "unregistered"
        }
      return "\(input) \(state)" + (item.attempts > 0 ? " !\(item.attempts)" : "")
    }
  }

  func failures(_ events: ResultRecording<QueryEvent>) -> [String] {
    events.values.compactMap { event in
      switch event.kind {
      case .persistenceFailed(let error): "\(error)"
      case .mutation(.stopped(let error)): "stopped: \(error)"
      default: nil
      }
    }
  }
}
