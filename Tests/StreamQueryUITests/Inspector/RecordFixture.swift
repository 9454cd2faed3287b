import Foundation
import StreamQuery

@testable import StreamQueryUI

/// A record with the answers about it; `Integrations/Inspector/Tests/Fixtures/README.md` defines them.
struct RecordFixture: Decodable, CustomStringConvertible, Sendable {
  struct Answer: Decodable, Sendable {
    let event: Int?
    let key: Int?
    let at: Int?
    let text: String?
  }

  struct Counts: Decodable, Equatable, Sendable {
    var keys, pending, success, error, fetching, paused, observed: Int
  }

  struct KeyAnswer: Decodable, Equatable, Sendable {
    var key: Int
    var text, type, status, fetchStatus: String
    var flags: [String]
    var observers, waiters, updates, failures: Int
    var cause: String?
    var age: Int?
    var freshness: Double?
    var layers: [Int]
    var last: Int
  }

  struct RunAnswer: Decodable, Equatable, Sendable {
    var run: Int
    var mutation: String
    var scope: String?
    var status: String
    var failures: Int
    var error: String?
    var layers: [Int]
  }

  struct Moment: Decodable, Equatable, Sendable {
    var at: Int
    var online, active: Bool
    var lost: Int
    var counts: Counts
    var keys: [KeyAnswer]
    var runs: [RunAnswer]
  }

  let name: String
  let record: QueryRecord
  let parts: [QueryRecord]?
  let keeps: Int?
  let moments: [Moment]
  let why, who, lines: [Answer]

  var description: String { name }

  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .appending(path: "../../../Integrations/Inspector/Tests/Fixtures")
    .standardizedFileURL

  static func all() throws -> [RecordFixture] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "json" }
      .sorted { $0.path() < $1.path() }
      .map { try JSONDecoder().decode(RecordFixture.self, from: Data(contentsOf: $0)) }
  }

  /// A replay of the record and its parts.
  var replay: RecordReplay {
    var replay = RecordReplay(capacity: keeps ?? .max)
    _ = replay.feed(record)
    for part in parts ?? [] { _ = replay.feed(part) }
    return replay
  }
}

extension RecordReplay {
  /// A moment as fixtures have it.
  func answer(at time: Int) -> RecordFixture.Moment {
    let moment = moment(at: .microseconds(time))
    let totals = moment.totals
    return RecordFixture.Moment(
      at: time,
      online: totals.isOnline,
      active: totals.isActive,
      lost: totals.lost,
      counts: RecordFixture.Counts(
        keys: totals.entries,
        pending: totals.pending,
        success: totals.successful,
        error: totals.failed,
        fetching: totals.fetching,
        paused: totals.paused,
        observed: totals.observed
      ),
      keys: keys.keys.sorted().compactMap { row(of: $0, at: moment) }.map {
        answer($0, at: moment)
      },
      runs: runs.keys.sorted().compactMap { row(ofRun: $0, at: moment) }.map { row in
        RecordFixture.RunAnswer(
          run: row.id,
          mutation: row.run.mutation,
          scope: row.run.scope,
          status: "\(row.status)",
          failures: row.failureCount,
          error: row.error,
          layers: row.layers
        )
      }
    )
  }

  private func answer(_ row: KeyRow, at moment: Moment) -> RecordFixture.KeyAnswer {
    let state = row.state
    let flags = [
      ("active", state.isActive), ("endless", state.isStreaming),
      ("invalidated", state.isInvalidated),
      ("layered", state.isLayered), ("placeholder", state.isPlaceholder),
    ]
    return RecordFixture.KeyAnswer(
      key: row.id,
      text: row.key.text,
      type: row.key.valueType,
      status: state.status.rawValue,
      fetchStatus: state.fetchStatus.rawValue,
      flags: flags.filter(\.1).map(\.0),
      observers: state.observerCount,
      waiters: state.waiterCount,
      updates: state.dataUpdateCount,
      failures: state.failureCount,
      cause: state.cause?.rawValue,
      age: row.age.map { Int($0 / .microseconds(1)) },
      freshness: row.freshness,
      layers: layers(on: row.id, at: moment),
      last: row.last?.number ?? 0
    )
  }
}
