import CMeasure
import Observation
import StreamQuery
import StreamQueryUI

/// Queries as observable objects, on the main actor.
@MainActor
enum ObservedCases {
  struct Times: Sendable {
    var unread: Double
    var read: Double
    var appearing: Double
    var bytes: Double
  }

  nonisolated static func measure(_ suite: Suite) async {
    let times = await measured()
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
      appearing: appearing,
      bytes: max(0, bytes) / Double(many.count)
    )
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
        // The pump waits on this actor: its job comes before this one goes on.
        while observed[999].data != round { await Task.yield() }
      }
    }
    return rounds.fastest
  }
}
