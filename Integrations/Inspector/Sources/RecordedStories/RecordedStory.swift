public import Foundation
public import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting

/// A record of what a small app did, for the documentation and for tests of the page.
///
/// Time is virtual and chance has a seed, so each run makes the same record, byte for byte.
public struct RecordedStory: Sendable {
  /// The name of the file, without its extension.
  public var name: String
  /// Plays the story and returns its record.
  public var play: @Sendable () -> QueryRecord

  /// The stories, in the order in which a learner should look at them.
  public static let all = [
    staleWhileRevalidate, retriesAndOffline, optimisticRollback, outboxAcrossAKill, infiniteFeed,
  ]

  /// Plays the story, and returns its record as the contents of a file.
  public var file: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(play()) + Data("\n".utf8)
    }
  }

  /// Writes all stories into a folder.
  ///
  /// - Parameter folder: The folder, which is made if it is not there.
  /// - Throws: The error of writing a file.
  public static func write(to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for story in all {
      try story.file.write(to: folder.appending(path: "\(story.name).json"))
    }
  }
}

/// The surroundings of a story: a simulation, a network, and clients that record values.
struct Stage {
  let simulation: Simulation
  let online = ManualSignal(true)

  init(seed: UInt64) {
    simulation = Simulation(seed: seed)
  }

  func client(
    _ configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    let client = QueryClient(simulation: simulation) { [online] in
      $0.connectivity = Connectivity { online }
      $0.record = .last(5_000, values: .encodable)
      configure(&$0)
    }
    simulation.settle()
    return client
  }

  func wait(_ seconds: Double) {
    simulation.advance(by: milliseconds(in: seconds))
  }

  /// Observes a query until the returned recording is cancelled.
  func watch<Value: Sendable>(
    _ query: Query<Value>,
    in client: QueryClient
  ) -> ResultRecording<QueryResult<Value>> {
    simulation.record(client.stream(query))
  }
}

/// Rounds a time to whole milliseconds, so that sums of times are exact.
private func milliseconds(in seconds: Double) -> Duration {
  .milliseconds(Int((seconds * 1_000).rounded()))
}

/// Waits as long as the simulated server takes to answer.
func answered(after seconds: Double) async throws {
  try await Scheduling.current.clock.sleep(for: milliseconds(in: seconds))
}

/// An error that the simulated server answers with.
struct ServerError: Error, CustomStringConvertible {
  var status: Int
  var description: String { "the server answered \(status)" }
}
