import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization

/// A change of a note.
struct Edit: Codable, Hashable, Sendable {
  var note: Int
  var text: String
}

extension RecordedStory {
  /// Mutations wait offline in the outbox, survive the end of the process, and are sent by the next one.
  static let outboxAcrossAKill = RecordedStory(name: "outbox-across-a-kill") {
    let stage = Stage(seed: 4)
    let store = MemoryStore()
    let server = Mutex([1: "Tea", 2: "Plants"])
    let notes = Query("notes") {
      try await answered(after: 0.4)
      return server.withLock { notes in notes.sorted { $0.key < $1.key }.map(\.value) }
    }
    .staleTime(.minutes(1))
    let edit = Mutation<Edit, Void>("edit-note") { (edit: Edit) in
      try await answered(after: 0.9)
      server.withLock { $0[edit.note] = edit.text }
    }
    .optimistic { edit, changes in changes.update(notes) { $0?[edit.note - 1] = edit.text } }
    .onSuccess { _, context in await context.client.invalidate(notes) }
    .scope("notes")
    .durable()
    // Simulates a process from its launch to its death.
    func process(_ live: (QueryClient) -> Void) -> QueryRecord {
      let client = stage.client {
        $0.outbox = OutboxConfiguration(in: store, mutations: [edit])
      }
      let list = stage.watch(notes, in: client)
      live(client)
      let record = client.record
      list.cancel()
      client.shutDown()
      stage.simulation.settle()
      return record
    }
    let first = process { client in
      stage.wait(3)
      stage.simulation.task {
        try await client.mutate(edit, with: Edit(note: 1, text: "Green tea"))
      }
      stage.wait(4)
      stage.online.send(false)
      stage.wait(1)
      for text in ["Water the plants", "Water the plants today"] {
        stage.simulation.task { try await client.mutate(edit, with: Edit(note: 2, text: text)) }
        stage.wait(2)
      }
    }
    // The process is dead for five seconds, and the network is back when it begins again.
    stage.wait(5)
    stage.online.send(true)
    let second = process { _ in stage.wait(8) }
    return first.followed(by: second, as: "the process was killed and began again")
  }
}
