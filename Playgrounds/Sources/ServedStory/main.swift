// The sample app without its views, before the demo server: what a user does to the models, what they
// say at once, and what they say in the end.
//
// `swift run --package-path Playgrounds ServedStory`. The server is real, and so are HTTP and time. What
// comes in between depends on the machine, so it is not told; what is told is the same each time.
import Foundation
import Observation
import StreamQuery
import StreamQueryTesting
import StreamQueryUI

/// Waits until what is observed is as the condition says.
@MainActor
func until(_ holds: @MainActor () -> Bool) async {
  while true {
    let (changes, change) = AsyncStream<Void>.makeStream()
    if withObservationTracking(holds, onChange: { change.finish() }) { return }
    for await _ in changes {}
  }
}

/// A network that can be taken away, and knows when all that listen to it have dealt with that.
@MainActor @Observable
final class Network {
  /// What one listener hears.
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
  /// How often a listener has asked for another state: it has dealt with the one before.
  private var questionCount = 0

  private func note() { questionCount += 1 }

  nonisolated var connectivity: Connectivity {
    Connectivity { States(signal: self.signal.makeAsyncIterator(), network: self) }
  }

  /// Waits until somebody listens, and has heard the first state.
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

// Not a claim about speed: whatever hangs, the story ends.
Task.detached {
  try await Task.sleep(for: .seconds(120))
  print("the story hangs")
  exit(2)
}
try await play()
