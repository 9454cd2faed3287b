import Foundation
import StreamQuery

@testable import StreamQueryUI

/// Makes records and their parts, as a client would.
struct RecordMaker {
  typealias State = QueryRecord.State

  private(set) var part = QueryRecord(date: Date(timeIntervalSince1970: 0))
  private var time: Duration = .zero

  /// Time passes before the next event.
  mutating func wait(_ duration: Duration) { time += duration }

  /// Adds a row for a key.
  mutating func key(
    _ number: Int,
    _ parts: QueryRecord.Part...,
    type: String = "String",
    base: State? = nil
  ) {
    let text = "[\(parts.map { "\($0.title)" }.joined(separator: ", "))]"
    part.keys.append(
      QueryRecord.Key(number: number, text: text, valueType: type, parts: parts, base: base)
    )
  }

  mutating func options(_ number: Int, staleTime: QueryRecord.Span) {
    part.options.append(QueryRecord.Options(number: number, staleTime: staleTime, gcTime: .never))
  }

  mutating func run(_ number: Int, _ mutation: String, scope: String? = nil) {
    part.runs.append(
      QueryRecord.Run(number: number, mutation: mutation, scope: scope, started: time)
    )
  }

  mutating func error(_ number: Int, _ text: String) {
    part.errors.append(QueryRecord.Failure(number: number, text: text))
  }

  /// Adds an event now.
  mutating func event(_ kind: QueryRecord.Kind) {
    let number = part.firstNumber + part.events.count
    part.events.append(QueryRecord.Event(number: number, time: time, kind: kind))
  }

  mutating func event(_ step: QueryRecord.EntryStep, _ key: Int, _ state: State? = .data()) {
    event(.entry(step, key: key, state: state))
  }

  /// Ends the part, and begins the next one.
  mutating func take() -> QueryRecord {
    part.duration = time
    defer {
      part = QueryRecord(
        date: part.date,
        firstNumber: part.firstNumber + part.events.count,
        base: part.base
      )
    }
    return part
  }
}

extension QueryRecord.State {
  /// An entry with data.
  static func data(
    at time: Duration = .zero,
    updates: Int = 1,
    observers: Int = 0,
    _ fetchStatus: FetchStatus = .idle,
    options: Int? = nil
  ) -> Self {
    var state = Self(status: .success, fetchStatus: fetchStatus)
    (state.hasData, state.updatedAt, state.dataUpdateCount) = (true, time, updates)
    (state.observerCount, state.isActive, state.options) = (observers, observers > 0, options)
    return state
  }
}

extension RecordReplay {
  /// The keys with an entry, and their numbers of updates.
  func updates(at time: Duration) -> [Int: Int] {
    let moment = moment(at: time)
    return keys.keys.reduce(into: [:]) { $0[$1] = row(of: $1, at: moment)?.state.dataUpdateCount }
  }
}
