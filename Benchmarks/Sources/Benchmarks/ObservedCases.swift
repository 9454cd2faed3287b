import CMeasure
import Observation
import StreamQuery
import StreamQueryUI

/// Measures queries as observable objects, on the main actor.
@MainActor
enum ObservedCases {
  struct Times: Sendable {
    var unread: Double
    var read: Double
    var plain: Double
    var inTasks: Double
    var inStreamTasks: Double
    var appearing: Double
    var bytes: Double
  }

  nonisolated static func measure(_ suite: Suite) async {
    let times = await measured()
    suite.add(
      "raw.observable.1000",
      "set a property of each of 1,000 @Observable objects that a reader tracks",
      times.plain
    )
    suite.add(
      "observed.1000",
      "set data until 1,000 observed queries have it",
      times.unread,
      within: 0.9,
      limit: "raw.wake.1000"
    )
    suite.add(
      "observed.read.1000",
      "set data until 1,000 observed queries have told a reader each",
      times.read,
      limit: "raw.observable.1000"
    )
    suite.add(
      "observed.tasks.1000",
      "the same with a task for each of 1,000 objects, on the main actor, that reads results",
      times.inTasks,
      limit: "raw.wake.1000"
    )
    suite.add(
      "observed.tasks.stream.1000",
      "the same, and each task reads a stream",
      times.inStreamTasks,
      limit: "raw.wake.1000"
    )
    suite.add(
      "observed.appear",
      "make an observed query, read its data and release it",
      times.appearing,
      within: 5.7,
      limit: "raw.next"
    )
    suite.add(
      "observed.memory",
      "memory per idle observed query",
      times.bytes,
      unit: .bytes,
      target: 500
    )
  }

  private static func measured() async -> Times {
    let client = World.client()
    let query = World.query(1)
    client.setData(0, for: query)
    let kept = ObservedQuery(query, client: client)
    let appearing = fastest(iterations: 1_000) { iterations in
      for _ in 0..<iterations { blackHole(ObservedQuery(query, client: client).data) }
    }
    let before = measure_bytes_in_use()
    let many = (0..<20_000).map { _ in ObservedQuery(query, client: client) }
    let bytes = Double(measure_bytes_in_use()) - Double(before)
    withExtendedLifetime((kept, many)) {}
    return Times(
      unread: await fanOut(isRead: false),
      read: await fanOut(isRead: true),
      plain: plainFanOut(),
      inTasks: await fanOutOfTasks { client, query, object in
        for await result in client.results(of: query) { object.take(result) }
      },
      inStreamTasks: await fanOutOfTasks { client, query, object in
        for await result in client.stream(query) { object.take(result) }
      },
      appearing: appearing,
      bytes: max(0, bytes) / Double(many.count)
    )
  }

  /// Measures how long Observation alone takes to tell a reader about each of 1,000 objects.
  private static func plainFanOut() -> Double {
    let objects = (0..<1_000).map { _ in Followed() }
    var rounds = Rounds(atLeast: 200)
    while rounds.goOn() {
      for object in objects {
        withObservationTracking {
          blackHole(object.data)
        } onChange: {
        }
      }
      let round = rounds.count
      rounds.measure { for object in objects { object.set(round) } }
    }
    return rounds.fastest
  }

  private static func fanOut(isRead: Bool) async -> Double {
    let client = World.client()
    let query = World.query(1)
    client.setData(0, for: query)
    let observed = (0..<1_000).map { _ in ObservedQuery(query, client: client) }
    var rounds = Rounds(atLeast: 200)
    while rounds.goOn() {
      for observed in observed where isRead {
        withObservationTracking {
          blackHole(observed.data)
        } onChange: {
        }
      }
      let round = rounds.count
      await rounds.measure {
        client.setData(round, for: query)
        // The job that delivers the data waits on this actor, and runs before this task goes on.
        while observed[999].data != round { await Task.yield() }
      }
    }
    return rounds.fastest
  }

  /// The object that an app would write without `ObservedQuery`; a task of its own keeps it up to date.
  @MainActor @Observable
  final class Followed {
    static var arrivals = 0
    private(set) var data: Int?

    func take(_ result: QueryResult<Int>) {
      if data != result.data { set(result.data) }
      Self.arrivals += 1
    }

    func set(_ value: Int?) { data = value }
  }

  private static func fanOutOfTasks(
    _ follow: @escaping @MainActor (QueryClient, Query<Int>, Followed) async -> Void
  ) async -> Double {
    let client = World.client()
    let query = World.query(1)
    client.setData(0, for: query)
    let objects = (0..<1_000).map { _ in Followed() }
    Followed.arrivals = 0
    let tasks = objects.map { object in Task { await follow(client, query, object) } }
    while Followed.arrivals < objects.count { await Task.yield() }
    var rounds = Rounds(atLeast: 200)
    while rounds.goOn() {
      let round = rounds.count
      Followed.arrivals = 0
      await rounds.measure {
        client.setData(round, for: query)
        while Followed.arrivals < objects.count { await Task.yield() }
      }
      precondition(objects.allSatisfy { $0.data == round })
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    return rounds.fastest
  }
}
