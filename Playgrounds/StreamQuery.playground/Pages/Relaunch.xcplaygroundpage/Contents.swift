//: # Data that survives a relaunch
//:
//: An app is left while it is offline. Its data, and the mutations that wait for the network, go into
//: an archive. The next launch shows them at once and goes on.
//:
//: On Linux: `swift run --package-path Playgrounds Relaunch`
import Foundation
import StreamQuery
import StreamQueryPersistence
import StreamQueryOperators
import StreamQueryTesting

//: Time is virtual: the page takes a moment to run, and prints the same each time.
let simulation = Simulation(seed: 1)
let online = ManualSignal(true)

func note(_ line: String) {
  print("\(Int(simulation.now / .milliseconds(1))) ms  \(line)")
}

//: Each launch has a client of its own.
func launch() -> QueryClient {
  let client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
  simulation.settle()
  return client
}

actor Server {
  private var todos = ["water the plants"]

  func list() async throws -> [String] {
    note("the server is asked for the list")
    try await simulation.clock.sleep(for: .milliseconds(200))
    return todos
  }

  func add(_ todo: String) {
    note("the server is told: \(todo)")
    todos.append(todo)
  }
}

let server = Server()

extension Query<[String]> {
  static var todos: Self {
    Query("todos") { try await server.list() }.staleTime(.minutes(1))
  }
}

//: Additions run one after the other, and their changes show at once.
extension Mutation<String, Void> {
  static var add: Self {
    Mutation("add") { await server.add($0) }
      .optimistic { _ in
        .todos
      } update: { todos, todo in
        todos?.append(todo)
      }
      .onSettled { _, context in await context.client.invalidate(.todos) }
      .scope("todos")
  }
}

func show(_ client: QueryClient) -> ResultRecording<QueryResult<[String]>> {
  simulation.record(
    client.results(of: .todos).changes(of: .data).onChange { result in
      note(result.data?.joined(separator: ", ") ?? "spinner")
    }
  )
}

//: The first launch loads the list, goes offline, and is told two things.
var client: QueryClient? = launch()
var screen = client.map(show)
simulation.advance(by: .seconds(1))
online.send(false)
simulation.settle()
for todo in ["feed the cat", "call Ada"] {
  simulation.task("add") { [client] in try await client?.mutate(.add, with: todo) }
  simulation.advance(by: .seconds(1))
}

//: Optimistic changes are not data: the archive has the list as the server told it, and the mutations.
let export = client?.export()
let bytes = try export?.archive.encoded() ?? Data()
note(
  "archived: \(export?.archive.entries.count ?? 0) entry,"
    + " \(export?.archive.mutations.count ?? 0) mutations"
)

//: The app is gone.
screen?.cancel()
client?.clear()
client = nil
simulation.advance(by: .seconds(10))

//: The next launch, still offline: an import shows data and changes in one turn, and asks nobody.
let next = launch()
let report = try next.import(decoding: bytes, for: [.query(.todos), .mutation(.add)])
note("back: \(report.entryCount) entry, \(report.mutationCount) mutations")
let other = show(next)
simulation.advance(by: .seconds(1))

//: Online again, the mutations go on in the order of their start.
note("online")
online.send(true)
simulation.advance(by: .seconds(1))

//: Bytes that were damaged are an error, and the cache is as it was.
do {
  try next.import(decoding: bytes.dropLast(), for: [.query(.todos)])
} catch {
  note("\(error)")
}

other.cancel()
next.clear()
simulation.settle()
print("nothing left behind: \(simulation.isIdle)")
