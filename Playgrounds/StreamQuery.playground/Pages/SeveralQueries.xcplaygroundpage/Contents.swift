//: # Several queries at once
//:
//: A list of queries is one stream, and each element has the results of all of them. A result is found
//: by its typed key. The list may be replaced: queries that stay keep their observers.
//:
//: On Linux: `swift run --package-path Playgrounds SeveralQueries`
import StreamQuery
import StreamQueryTesting

//: Time is virtual: the page takes a moment to run, and prints the same each time.
let simulation = Simulation(seed: 1)
let client = QueryClient(simulation: simulation)

func note(_ line: String) {
  print("\(Int(simulation.now / .milliseconds(1))) ms  \(line)")
}

struct Offline: Error {}

//: Names come in 100 ms, counts in 200 ms, and the count of 3 does not come at all.
extension Query<String> {
  static func name(_ id: Int) -> Self {
    Query("name", id) {
      try await simulation.clock.sleep(for: .milliseconds(100))
      return "name \(id)"
    }
    .staleTime(.minutes(1))
  }
}

extension Query<Int> {
  static func count(_ id: Int) -> Self {
    Query("count", id) {
      try await simulation.clock.sleep(for: .milliseconds(200))
      guard id != 3 else { throw Offline() }
      return id * 100
    }
    .staleTime(.minutes(1))
    .retry(0)
  }
}

func members(_ id: Int) -> [AnyQuery] { [AnyQuery(.name(id)), AnyQuery(.count(id))] }

func describe<Value>(_ result: QueryResult<Value>?) -> String {
  guard let result else { return "not listed" }
  if let data = result.data { return "\(data)" }
  return result.isError ? "failed" : result.isFetching ? "loading" : "nothing"
}

let batch = client.observer(all: members(1))
let screen = simulation.record(batch.stream)
var shown = 0

@MainActor func show(_ what: String) {
  note(what)
  simulation.advance(by: .seconds(1))
  for record in screen.elements.dropFirst(shown) {
    let time = Int(record.time / .milliseconds(1))
    let results = record.element
    let texts = [1, 2, 3].map { id in
      let name = describe(results[Query.name(id)])
      let count = describe(results[Query.count(id)])
      return "\(id): \(name), \(count)"
    }
    print("   \(time) ms  \(texts.joined(separator: " | "))")
  }
  shown = screen.elements.count
}

show("one of each")

//: A call that changes several members is one element.
client.remove(.prefix("name") || .prefix("count"))
show("removed")
simulation.task("load") { await client.refetch(.all) }
show("loaded again")

//: The members of 1 stay as they are; those of 2 are loaded.
batch.update(members(1) + members(2))
show("with those of 2")

//: A query that is not in the list differs from one that failed.
batch.update(members(2) + members(3))
show("those of 2 and 3")

screen.cancel()
simulation.settle()
