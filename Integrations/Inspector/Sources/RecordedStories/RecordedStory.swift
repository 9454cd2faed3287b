public import Foundation
public import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting

/// A record of what a small app did, for the documentation and for tests of the page.
///
/// Time is virtual and chance has a seed, so it is the same in each run, byte for byte.
public struct RecordedStory: Sendable {
  /// The name of the file, without its ending.
  public var name: String
  /// Plays the story and returns its record.
  public var play: @Sendable () -> QueryRecord

  /// The stories, in the order in which they teach.
  public static let all = [
    staleWhileRevalidate, retriesAndOffline, optimisticRollback, outboxAcrossAKill, infiniteFeed,
  ]

  /// The record as a file.
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

/// What all stories have: a simulation, a network, and a client whose record has values.
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

  /// An observer, until it is cancelled.
  func watch<Value: Sendable>(
    _ query: Query<Value>,
    in client: QueryClient
  ) -> ResultRecording<QueryResult<Value>> {
    simulation.record(client.stream(query))
  }
}

/// A time in whole milliseconds, so that it is the same in each sum.
private func milliseconds(in seconds: Double) -> Duration {
  .milliseconds(Int((seconds * 1_000).rounded()))
}

/// Waits as long as the server takes.
func answered(after seconds: Double) async throws {
  try await Scheduling.current.clock.sleep(for: milliseconds(in: seconds))
}

/// An answer of the server that is no success.
struct ServerError: Error, CustomStringConvertible {
  var status: Int
  var description: String { "the server answered \(status)" }
}
