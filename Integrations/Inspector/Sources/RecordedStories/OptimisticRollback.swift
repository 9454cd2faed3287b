import StreamQuery
import StreamQueryTesting
import Synchronization

/// An item of a to-do list.
struct Todo: Codable, Hashable, Sendable {
  var title: String
  var isDone = false
}

extension RecordedStory {
  /// Optimistic mutations: one that the server accepts, and one that it refuses.
  static let optimisticRollback = RecordedStory(name: "optimistic-rollback") {
    let stage = Stage(seed: 3)
    let client = stage.client()
    let server = Mutex([Todo(title: "Buy tea"), Todo(title: "Water the plants")])
    let todos = Query("todos") {
      try await answered(after: 0.4)
      return server.withLock { $0 }
    }
    .staleTime(.minutes(1))
    let count = Query("todos", "count") {
      try await answered(after: 0.2)
      return server.withLock { $0.count }
    }
    let add = Mutation<String, Void>("add-todo") { (title: String) in
      try await answered(after: 1.2)
      guard title != "Fly to the moon" else { throw ServerError(status: 422) }
      server.withLock { $0.append(Todo(title: title)) }
    }
    .optimistic { title, changes in changes.update(todos) { $0?.append(Todo(title: title)) } }
    .onSettled { _, context in await context.client.invalidate(.prefix("todos")) }
    .scope("todos")
    let list = stage.watch(todos, in: client)
    let number = stage.watch(count.staleTime(.minutes(1)), in: client)
    stage.wait(3)
    stage.simulation.task { try await client.mutate(add, with: "Call Ada") }
    stage.wait(4)
    // In one scope, the second mutation waits for the first. The server refuses the first: it is rolled back.
    stage.simulation.task { try await client.mutate(add, with: "Fly to the moon") }
    stage.wait(0.3)
    stage.simulation.task { try await client.mutate(add, with: "Bake bread") }
    stage.wait(5)
    let record = client.record
    list.cancel()
    number.cancel()
    return record
  }
}
