import Foundation
import StreamQuery

extension QueryRecord {
  /// Joins this record and the record of the next process, as if one client had made both.
  ///
  /// - Parameters:
  ///   - other: The record of a client that began later.
  ///   - event: The name of the trigger event that separates them.
  /// - Returns: The joined record, in which the keys and runs of this record end before the other one begins.
  func followed(by other: QueryRecord, as event: String) -> QueryRecord {
    guard var next = events.last else { return other }
    var joined = self
    let shift = Duration.seconds(other.date.timeIntervalSince(date))
    func add(_ kind: Kind, at time: Duration) {
      next.number += 1
      (next.time, next.kind) = (time, kind)
      joined.events.append(next)
    }
    for key in presentKeys {
      add(.entry(.removed(.cleared, isKeptEmpty: false), key: key, state: nil), at: duration)
    }
    for run in presentRuns { add(.run(.cancelled, run: run), at: duration) }
    add(.trigger(event), at: shift)
    let offsets = Offsets(
      key: keys.last?.number ?? 0,
      run: runs.last?.number ?? 0,
      options: options.last?.number ?? 0,
      error: errors.last?.number ?? 0
    )
    joined.append(tablesOf: other, offsets, shift)
    add(.network(isOnline: other.base.isOnline), at: shift)
    for event in other.events {
      add(offsets.moved(event.kind, by: shift), at: event.time + shift)
    }
    let firstEvent = firstNumber + joined.events.count - other.events.count
    joined.values += other.values.changed { $0.event += firstEvent - other.firstNumber }
    joined.duration = other.duration + shift
    return joined
  }

  /// The numbers of the keys that have an entry after the last event.
  private var presentKeys: [Int] {
    var states: [Int: State] = [:]
    for key in keys { states[key.number] = key.base }
    for event in events {
      if case .entry(_, let key, let state) = event.kind { states[key] = state }
    }
    return states.keys.sorted()
  }

  /// The numbers of the runs that are not over after the last event.
  private var presentRuns: [Int] {
    var present = Set(runs.map(\.number))
    for event in events {
      guard case .run(let step, let run) = event.kind else { continue }
      switch step {
      case .succeeded, .failed, .cancelled: present.remove(run)
      default: break
      }
    }
    return present.sorted()
  }

  private mutating func append(tablesOf other: QueryRecord, _ offsets: Offsets, _ shift: Duration) {
    keys += other.keys.changed { key in
      key.number += offsets.key
      key.base = nil
    }
    runs += other.runs.changed { run in
      run.number += offsets.run
      run.started += shift
    }
    options += other.options.changed { $0.number += offsets.options }
    errors += other.errors.changed { $0.number += offsets.error }
  }
}

extension Array {
  /// Returns the elements with the same change of each.
  fileprivate func changed(by change: (inout Element) -> Void) -> [Element] {
    map { element in
      var element = element
      change(&element)
      return element
    }
  }
}

/// The amounts that are added to the numbers of the second record's keys, runs, options and errors.
private struct Offsets {
  var key, run, options, error: Int

  func moved(_ kind: QueryRecord.Kind, by shift: Duration) -> QueryRecord.Kind {
    switch kind {
    case .entry(let step, let key, let state):
      .entry(moved(step), key: key + self.key, state: state.map { moved($0, by: shift) })
    case .run(let step, let run): .run(moved(step), run: run + self.run)
    case .persistenceFailed(let key, let store, let error):
      .persistenceFailed(key: key.map { $0 + self.key }, store: store, error: error + self.error)
    case .network, .activity, .trigger, .bulk, .lost: kind
    }
  }

  private func moved(_ state: QueryRecord.State, by shift: Duration) -> QueryRecord.State {
    var state = state
    state.updatedAt = state.updatedAt.map { $0 + shift }
    state.options = state.options.map { $0 + options }
    return state
  }

  private func moved(_ step: QueryRecord.EntryStep) -> QueryRecord.EntryStep {
    switch step {
    case .attemptFailed(let fetch, let count, let wait, let error):
      .attemptFailed(fetch: fetch, count: count, retryAfter: wait, error: error + self.error)
    case .fetchFailed(let fetch, let error): .fetchFailed(fetch: fetch, error: error + self.error)
    case .layered(let run): .layered(run: run + self.run)
    case .unlayered(let run): .unlayered(run: run + self.run)
    default: step
    }
  }

  private func moved(_ step: QueryRecord.RunStep) -> QueryRecord.RunStep {
    switch step {
    case .attemptFailed(let count, let wait, let error):
      .attemptFailed(count: count, retryAfter: wait, error: error + self.error)
    case .stopped(let error): .stopped(error: error + self.error)
    case .callbackFailed(let error, let callback):
      .callbackFailed(error: error + self.error, callback: callback)
    case .failed(let error): .failed(error: error + self.error)
    default: step
    }
  }
}
