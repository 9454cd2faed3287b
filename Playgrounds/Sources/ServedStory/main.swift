// The sample app without its views, before the demo server: the actions of a user on the models, and the
// texts of the models, at once and in the end.
//
// `swift run --package-path Playgrounds ServedStory`. The server is real, and so are HTTP and time. States
// in between depend on the machine and are not printed, so that the output is the same each time.
import Foundation
import Observation
import StreamQuery
import StreamQueryTesting
import StreamQueryUI

/// Waits until a condition about observable objects holds.
@MainActor
func until(_ holds: @MainActor () -> Bool) async {
  while true {
    let (changes, change) = AsyncStream<Void>.makeStream()
    if withObservationTracking(holds, onChange: { change.finish() }) { return }
    for await _ in changes {}
  }
}

/// A network that can be switched off, and that knows when all listeners have handled the change.
@MainActor @Observable
final class Network {
  /// The states that one listener gets.
  private struct States: AsyncSequence, AsyncIteratorProtocol {
    var signal: ManualSignal<Bool>.Iterator
    let network: Network

    func makeAsyncIterator() -> Self { self }

    mutating func next() async -> Bool? {
      await network.note()
      return await signal.next()
    }
  }

  @ObservationIgnored private let signal = ManualSignal(true)
  /// How often listeners have asked for their next state; a listener that asks has handled the last one.
  private var questionCount = 0

  private func note() { questionCount += 1 }

  nonisolated var connectivity: Connectivity {
    Connectivity { States(signal: self.signal.makeAsyncIterator(), network: self) }
  }

  /// Waits until this number of listeners have handled the first state.
  func heard(by listeners: Int) async {
    await until { questionCount == 2 * listeners }
  }

  func change(isOnline: Bool) async {
    let count = questionCount + signal.consumerCount
    signal.send(isOnline)
    await until { questionCount == count }
  }
}

@MainActor
func play() async throws {
  let server = DemoServer()
  let network = Network()
  let api = RemoteServer(url: try await server.start())
  let client = QueryClient(configuration: .init(connectivity: network.connectivity))
  let app = AppModel(api: api, client: client, connectivity: network.connectivity)
  let feed = app.feed.query
  let people = app.search.people
  await network.heard(by: 2)

  print("== opens the app")
  await until { !feed.isFetching }
  print(app.feed.posts.count, "posts, more:", feed.hasNextPage)

  print("== sees the end of the list")
  await feed.fetchNextPage()
  print(app.feed.posts.count, "posts, more:", feed.hasNextPage)

  print("== types a name")
  for text in ["a", "al", "ala"] { app.search.text = text }
  await until { !people.isFetching }
  print(
    "found",
    people.data?.map(\.name) ?? [],
    "by",
    await server.count(of: "GET /search"),
    "request"
  )

  print("== opens Alan")
  let user = ObservedQuery(.user(2, from: api), client: client)
  let edit = EditModel(id: 2, api: api, client: client)
  func tellPerson() {
    print((user.data?.name ?? "…") + (edit.state.map { ", \($0)" } ?? ""))
  }
  await until { !user.isFetching }
  tellPerson()

  for name in ["Alan Turing", "Grace"] {
    print("== renames him to", name)
    if let person = user.data { edit.edit(person) }
    edit.name = name
    edit.save()
    tellPerson()
    await until { edit.state != "Saving…" }
    tellPerson()
  }
  print("found", people.data?.map(\.name) ?? [])

  print("== renames him without a network")
  await network.change(isOnline: false)
  print("the app is", app.isOnline ? "online" : "offline")
  edit.name = "Turing"
  edit.save()
  tellPerson()

  print("== has a network again")
  await network.change(isOnline: true)
  await until { edit.state == nil }
  tellPerson()
  print("requests to rename him:", await server.count(of: "PATCH /users/2"))
  print("the server says", try await api.user(2).name)

  print("== pulls while the server is away")
  await server.stop()
  await feed.refetch()
  print(app.feed.posts.count, "posts, and an error:", feed.error != nil)

  print("== tries again when it is back")
  try await server.start()
  await app.feed.tryAgain()
  print(app.feed.posts.count, "posts, and an error:", feed.error != nil)

  // Errors that leave nothing to show go to a boundary.
  print("== opens a link to nobody")
  let boundary = ErrorBoundary()
  let nobody = ObservedQuery(.user(9, from: api), client: client)
  nobody.boundary = boundary
  await until { boundary.error != nil }
  print(boundary.error?.localizedDescription ?? "")
  await server.stop()
}

// This limit is no claim about speed: it ends a story that hangs.
Task.detached {
  try await Task.sleep(for: .seconds(120))
  print("the story hangs")
  exit(2)
}
try await play()
