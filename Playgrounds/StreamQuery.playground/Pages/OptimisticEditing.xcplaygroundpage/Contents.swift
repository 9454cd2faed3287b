//: # Optimistic editing
//:
//: A running mutation lays its change over the cached data. Two mutations compose. A mutation that fails
//: takes only its own change away, and after a success nothing flickers back.
//:
//: On Linux: `swift run --package-path Playgrounds OptimisticEditing`
import StreamQuery
import StreamQueryOperators
import StreamQueryTesting

//: Time is virtual: the page takes a moment to run, and prints the same each time.
let simulation = Simulation(seed: 1)
let online = ManualSignal(true)
let client = QueryClient(simulation: simulation) {
  $0.connectivity = Connectivity { online }
}

func note(_ line: String) {
  print("\(Int(simulation.now / .milliseconds(1))) ms  \(line)")
}

struct Refused: Error {}

//: The server keeps a list, refuses gold, and answers in 100 ms.
actor Server {
  var todos = ["milk"]

  func list() async throws -> [String] {
    try await simulation.clock.sleep(for: .milliseconds(100))
    return todos
  }

  func add(_ todo: String) async throws {
    note("the server gets \(todo)")
    try await simulation.clock.sleep(for: .milliseconds(100))
    guard todo != "gold" else { throw Refused() }
    todos.append(todo)
  }
}
let server = Server()

extension Query<[String]> {
  static var todos: Self { Query("todos") { try await server.list() }.staleTime(.minutes(1)) }
}

//: An addition shows at once. After its success, the list is loaded again, and the change stays until
//: the new list has come. Additions run one after the other.
extension Mutation where Input == String, Output == Void {
  static var add: Self {
    Mutation("add") { (todo: String) in try await server.add(todo) }
      .optimistic { todo, changes in changes.update(.todos) { $0?.append(todo) } }
      .onSuccess { _, context in await context.client.invalidate(.query(.todos)) }
      .scope("todos")
  }
}

let screen = simulation.record(
  client.stream(.todos).removeDuplicates().values()
    .map { todos in note("on the screen: \(todos.joined(separator: ", "))") }
)
simulation.advance(by: .seconds(1))

func add(_ todo: String) {
  note("adding \(todo)")
  simulation.task("add \(todo)") {
    do {
      try await client.mutate(.add, with: todo)
      note("added \(todo)")
    } catch {
      note("could not add \(todo): \(error)")
    }
  }
}

//: An addition that succeeds.
add("bread")
simulation.advance(by: .seconds(1))

//: Two additions at once. The server refuses the first: only its change disappears.
add("gold")
add("eggs")
simulation.advance(by: .seconds(1))

//: Without a network an addition waits, and shows all the same; it goes out when the network is back.
note("the network is gone")
online.send(false)
simulation.settle()
add("tea")
simulation.advance(by: .seconds(1))
note("the network is back")
online.send(true)
simulation.advance(by: .seconds(1))

screen.cancel()
simulation.settle()
print("nothing left behind: \(simulation.isIdle)")
