import Observation
import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

/// Changes that arrive are applied inside of what the object was given.
@MainActor
struct ChangeContextTests {
  @MainActor
  private final class Log {
    var lines: [String] = []
    var isInside = false
    /// Who reads; they hold what they read.
    var readers: [Reader] = []

    func context() -> ChangeContext {
      { [self] change in
        isInside = true
        change()
        isInside = false
      }
    }

    func add(_ line: String) { lines.append(isInside ? "[\(line)]" : line) }
  }

  private func run(_ body: @MainActor (Simulation, QueryClient, Log) -> Void) {
    for seed: UInt64 in 0..<4 {
      Simulation.onMainActor(seed: seed) {
        let log = Log()
        body($0, QueryClient(simulation: $0), log)
        // What they read has contexts that hold the log.
        log.readers = []
      }
    }
  }

  /// Adds a line before each change of what is read, and the new state after it.
  @MainActor
  private final class Reader {
    private let log: Log
    private let read: @MainActor () -> String

    init(_ log: Log, _ read: @escaping @MainActor () -> String) {
      self.log = log
      self.read = read
      look()
    }

    private func look() {
      let line = withObservationTracking(read) { [weak self] in
        MainActor.assumeIsolated {
          self?.log.add("changes")
          Task { @MainActor in self?.look() }
        }
      }
      log.add(line)
    }
  }

  private func watch(_ log: Log, _ read: @escaping @MainActor () -> String) {
    log.readers.append(Reader(log, read))
  }

  private func query(_ name: String, _ values: String...) -> Query<String> {
    Query(
      key: QueryKey(name),
      fetch: ScriptedFetch(values.map { .value($0, after: .milliseconds(10)) })
    )
  }

  @Test("a fetch, a write and a refetch arrive inside, the start and another key do not")
  func queries() {
    run { simulation, client, log in
      let observed = ObservedQuery(query("a", "A", "A2"))
      observed.changeContext = log.context()
      watch(log) { [observed] in observed.data ?? "-" }
      client.setData("cached", for: query("a"))
      observed.start(using: client)
      simulation.settle()
      expectEqual(log.lines, ["-", "changes", "cached"])
      simulation.advance(by: .milliseconds(10))
      client.setData("written", for: query("a"))
      simulation.settle()
      Task { await observed.refetch() }
      simulation.advance(by: .milliseconds(10))
      expectEqual(
        log.lines.dropFirst(3),
        ["[changes]", "A", "[changes]", "written", "[changes]", "A2"]
      )
      client.setData("B", for: query("b"))
      observed.update(query: query("b", "B2"))
      simulation.settle()
      expectEqual(log.lines.suffix(2), ["changes", "B"])
      observed.changeContext = nil
      simulation.advance(by: .milliseconds(10))
      expectEqual(log.lines.suffix(2), ["changes", "B2"])
    }
  }

  @Test("options and the context are said independently of each other")
  func options() {
    run { simulation, client, log in
      let options = ObserverOptions(enabled: false)
      let observed = ObservedQuery(query("a", "A"), client: client, options: options)
      observed.changeContext = log.context()
      expect(!observed.isEnabled && observed.options != nil)
      observed.update(options: ObserverOptions(enabled: true))
      watch(log) { [observed] in observed.data ?? "-" }
      simulation.advance(by: .milliseconds(10))
      expectEqual(log.lines, ["-", "[changes]", "A"])
      observed.changeContext = nil
      expect(observed.options != nil)
    }
  }

  @Test("what nobody has read yet waits for its reader, and needs no context")
  func unread() {
    run { simulation, client, log in
      let observed = ObservedQuery(query("a", "A"), client: client)
      observed.changeContext = { change in
        log.add("applied")
        change()
      }
      simulation.advance(by: .milliseconds(10))
      expect(observed.data == "A" && log.lines.isEmpty)
    }
  }

  @Test("lists, pages and mutations apply what arrives inside, and what they begin outside")
  func otherKinds() {
    run { simulation, client, log in
      let batch = ObservedQueries([AnyQuery(query("a", "A"))], client: client)
      batch.changeContext = log.context()
      watch(log) { [batch] in "batch \(batch[QueryKey<String>("a")]?.data ?? "-")" }
      simulation.advance(by: .milliseconds(10))
      expectEqual(log.lines, ["batch -", "[changes]", "batch A"])
      log.lines = []

      let pages = ObservedPagination(Pagination(input: 0), client: client) { _, page in
        Query("page", page) { "\(page)" }
      }
      pages.changeContext = log.context()
      watch(log) { [pages] in "page \(pages.query.data ?? "-")" }
      simulation.advance(by: .milliseconds(10))
      pages.moveToNextPage()
      simulation.advance(by: .milliseconds(10))
      expectEqual(log.lines, ["page -", "[changes]", "page 1", "[changes]", "page 2"])
      log.lines = []

      let save = ObservedMutation(
        Mutation("save") { (input: Int) in "saved \(input)" },
        client: client
      )
      save.changeContext = log.context()
      watch(log) { [save] in "\(save.status) \(save.output ?? "-")" }
      save.run(1)
      simulation.settle()
      expectEqual(log.lines.prefix(2), ["idle -", "changes"])
      expectEqual(log.lines.suffix(2), ["[changes]", "success saved 1"])
    }
  }

  @Test("all that a transaction changes in a list is applied by one call")
  func listsAreApplied() {
    run { simulation, client, log in
      let queries = ["a", "b", "c"].map { Query<Int>(key: QueryKey($0)) }
      for query in queries { client.setData(0, for: query) }
      let batch = ObservedQueries(queries.map { AnyQuery($0) }, client: client)
      batch.changeContext = { change in
        change()
        log.add("\(queries.map { batch[$0]?.data ?? 0 })")
      }
      client.updateData(matching: .all, of: Int.self) { _, value in value = 1 }
      simulation.settle()
      expectEqual(log.lines, ["[1, 1, 1]"])
      batch.changeContext = nil
    }
  }

  @Test("a cancelled run that waits is idle at once; one at work is idle when that has ended")
  func cancelledRuns() {
    run { simulation, client, log in
      let work = ScriptedFetch<Void>(.failure(Broken()), .value((), after: .seconds(1)))
      let save = ObservedMutation(Mutation("save") { try await work() }.retry(1), client: client)
      save.changeContext = log.context()
      watch(log) { [save] in "\(save.status)" }
      for end in ["changes", "[changes]"] {
        log.lines = []
        save.run()
        simulation.settle()
        save.cancel()
        simulation.settle()
        expectEqual(log.lines, ["changes", "pending", end, "idle"])
      }
    }
  }

  private struct Broken: Error {}
}
