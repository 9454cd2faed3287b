//: # Dependent queries
//:
//: The projects of a user can be asked for when the user's id is known. A stream of users becomes a
//: stream of projects, and follows when another user signs in.
//:
//: On Linux: `swift run --package-path Playgrounds DependentQueries`
import StreamQuery
import StreamQueryOperators
import StreamQueryTesting

//: Time is virtual: the page takes a moment to run, and prints the same each time.
let simulation = Simulation(seed: 1)
let client = QueryClient(simulation: simulation)

func note(_ line: String) {
  print("\(Int(simulation.now / .milliseconds(1))) ms  \(line)")
}

struct User: Equatable, Sendable {
  var id: Int
  var name: String
}

//: The server decides who is signed in, and answers in 100 ms.
let signedIn = ManualSignal(User(id: 1, name: "Ada"))

extension Query<User> {
  static var current: Self {
    Query("current user") {
      try await simulation.clock.sleep(for: .milliseconds(100))
      return signedIn.value
    }
  }
}

extension Query<[String]> {
  static func projects(of id: Int) -> Self {
    Query("projects", id) {
      note("the server is asked for the projects of user \(id)")
      try await simulation.clock.sleep(for: .milliseconds(200))
      return id == 1 ? ["Engine", "Notes"] : ["Compiler"]
    }
    .staleTime(.minutes(1))
  }
}

//: `values()` has an element for each new user, and none for a refresh that changed only flags.
//: `switchToLatest` leaves out an id that comes again. It observes the new key before it leaves the
//: old one, so a key that stays the same keeps its request and its data.
/// Prints the text of the first screen.
///
/// The function belongs to no actor. A closure at the call would belong to the main actor, which is busy
/// with running the simulation.
@Sendable func show(_ projects: QueryResult<[String]>) {
  note("projects: \(projects.data?.joined(separator: ", ") ?? "loading")")
}

@Sendable func showBadge(_ projects: QueryResult<[String]>) {
  note("badge: \(projects.data?.count ?? 0) projects, \(projects.fetchStatus)")
}

let screen = simulation.record(
  client.stream(.current)
    .values()
    .map(\.id)
    .switchToLatest { client.stream(.projects(of: $0)) }
    .changes(of: .data)
    .onChange(show)
)
simulation.advance(by: .seconds(1))

//: The user is loaded again, under another name and the same id.
note("Ada changes her name")
signedIn.send(User(id: 1, name: "Ada King"))
simulation.task("refresh") { await client.invalidate(.current) }
simulation.advance(by: .seconds(1))

note("Grace signs in")
signedIn.send(User(id: 2, name: "Grace"))
simulation.task("refresh") { await client.invalidate(.current) }
simulation.advance(by: .seconds(1))

//: A query may also wait for a switch: this one loads while its view can be seen.
let isVisible = ManualSignal(false)
let badge = simulation.record(
  client.results(of: .projects(of: 1).staleTime(.zero), enabledBy: isVisible)
    .changes(of: .fetchStatus)
    .onChange(showBadge)
)
simulation.advance(by: .seconds(1))
note("the view appears")
isVisible.send(true)
simulation.advance(by: .seconds(1))

screen.cancel()
badge.cancel()
simulation.settle()
print("nothing left behind: \(simulation.isIdle)")
