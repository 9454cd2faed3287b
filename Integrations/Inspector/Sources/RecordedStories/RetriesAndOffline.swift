import StreamQuery
import StreamQueryTesting
import Synchronization

extension RecordedStory {
  /// A server that fails, a network that is lost in the middle, and the return of both.
  static let retriesAndOffline = RecordedStory(name: "retries-and-offline") {
    let stage = Stage(seed: 2)
    let client = stage.client()
    let requests = Mutex(0)
    let weather = Query("weather", "Oslo") {
      try await answered(after: 0.3)
      let number = requests.withLock { count in
        count += 1
        return count
      }
      // Attempts 1 and 2 fail, and so do attempts 6 to 9, while the server is down.
      if number <= 2 || (6...9).contains(number) { throw ServerError(status: 503) }
      return ["degrees": 3 + number, "wind": 12]
    }
    let forecast = Query("weather", "Oslo", "forecast") {
      try await answered(after: 0.8)
      return [4, 5, 3, 6]
    }
    let now = stage.watch(weather.staleTime(.seconds(10)), in: client)
    stage.wait(6)
    let later = stage.watch(forecast.staleTime(.minutes(5)), in: client)
    stage.wait(4)
    // The network is lost, so fetches wait.
    stage.online.send(false)
    stage.wait(2)
    client.markInvalidated(.prefix("weather"))
    let other = stage.watch(
      Query("weather", "Bergen") {
        try await answered(after: 0.3)
        return ["degrees": 7, "wind": 30]
      },
      in: client
    )
    stage.wait(12)
    stage.online.send(true)
    stage.wait(6)
    // The server is down: three retries, and then an error beside the old data.
    stage.simulation.task { await client.refetch(.prefix("weather", "Oslo")) }
    stage.wait(12)
    // The network goes away between two attempts.
    stage.online.send(false)
    stage.wait(5)
    stage.online.send(true)
    stage.wait(10)
    let record = client.record
    now.cancel()
    later.cancel()
    other.cancel()
    return record
  }
}
