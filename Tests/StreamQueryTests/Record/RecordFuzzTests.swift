import StreamQueryTesting
import Testing

@testable import StreamQuery

/// Random workloads with a record: it says what the cache has.
struct RecordFuzzTests {
  /// Plays a workload, and fails with what a check finds wrong first.
  private func play(
    _ seed: UInt64,
    _ count: Int,
    _ check: @escaping (QueryClient) -> [String]
  ) -> FuzzRun {
    let faults = Notes<String>()
    let run = FuzzRun(seed: seed, { $0.record = .last(count) }) { client in
      if faults.count == 0 { faults.addAll(check(client)) }
    }
    run.play()
    expectEqual(faults.all.prefix(3), [], "seed \(seed)")
    expectEqual(run.violations, [], "seed \(seed)")
    return run
  }

  @Test(arguments: Seeds.few(40))
  func theRecordHasTheStateThatEachEntryHas(seed: UInt64) {
    _ = play(seed, 1 + Int(seed % 50)) { $0.recordFaults }
  }

  @Test(arguments: 0..<UInt64(Seeds.times(400, orElse: 15)))
  func aShortRecordIsTheEndOfALongOne(seed: UInt64) {
    let (long, short) = (Notes<QueryRecord>(), Notes<QueryRecord>())
    for (records, count) in [(long, 100_000), (short, 1 + Int(seed % 30))] {
      _ = play(seed, count) { client in
        records.add(client.record)
        return []
      }
    }
    #expect(long.count == short.count && long.count > 0)
    for (whole, part) in zip(long.all, short.all) {
      #expect(throws: Never.self) { try part.checkWholeness() }
      expectEqual(part.events.map(\.number), whole.events.suffix(part.events.count).map(\.number))
      expectEqual(part.states.suffix(part.events.count), whole.states.suffix(part.events.count))
      var before = whole
      before.events.removeLast(part.events.count)
      let bases = before.finalStates.mapValues(\.plain)
      for key in part.keys { expectEqual(key.base?.plain, bases[key.number], "seed \(seed)") }
      #expect(Set(bases.keys).isSubset(of: part.keys.map(\.number)))
    }
  }

  @Test(arguments: Seeds.few(40))
  func aReaderOfPartsKnowsWhatTheRecordHas(seed: UInt64) {
    let simulations = Notes<Simulation>()
    let readers = Notes<ResultRecording<QueryRecord>>()
    let faults = Notes<String>()
    let run = FuzzRun(seed: seed, { $0.record = .last(1 + Int(seed % 50)) }) { client in
      let simulation = simulations.all[0]
      if readers.count == 0 { readers.add(simulation.record(client.recordUpdates)) }
      simulation.settle()
      faults.addAll(readers.all[0].values.faults(asPartsOf: client.record))
    }
    simulations.add(run.simulation)
    run.play()
    expectEqual(faults.all.prefix(3), [], "seed \(seed)")
  }
}

extension QueryRecord.State {
  /// The state without the number of its options, which another record counts in another way.
  fileprivate var plain: Self {
    var state = self
    state.options = nil
    return state
  }
}

extension QueryRecord {
  fileprivate var states: [State?] {
    events.map { event in
      if case .entry(_, _, let state) = event.kind { state?.plain } else { nil }
    }
  }
}

extension [QueryRecord] {
  /// The differences between what a reader of these parts knows and a record.
  fileprivate func faults(asPartsOf whole: QueryRecord) -> [String] {
    guard let start = lastIndex(where: { $0.lostCount > 0 }) ?? indices.first else {
      return ["nothing was read"]
    }
    var merged = self[start]
    var next = merged.firstNumber + merged.events.count
    var faults: [String] = []
    for part in self[(start + 1)...] {
      if part.firstNumber != next { faults.append("\(part.firstNumber) follows \(next - 1)") }
      next += part.events.count
      merged.keys += part.keys
      merged.runs += part.runs
      merged.errors += part.errors
      merged.events += part.events
      merged.options += part.options
      // All that its events use.
      let options = Set(part.options.map(\.number))
      for case .entry(_, _, let state?) in part.events.map(\.kind) {
        if let number = state.options, !options.contains(number) {
          faults.append("options \(number) are missing")
        }
      }
    }
    do { try merged.checkReferences() } catch { faults.append("\(error)") }
    if Set(merged.keys.map(\.number)).count != merged.keys.count { faults.append("a key twice") }
    if merged.finalStates.compactMapValues(\.self) != whole.finalStates.compactMapValues(\.self) {
      faults.append("\(merged.finalStates) is not \(whole.finalStates)")
    }
    if merged.events.suffix(whole.events.count) != whole.events[...] { faults.append("events") }
    return faults
  }
}

extension QueryClient {
  /// The differences between the cache and its record.
  nonisolated fileprivate var recordFaults: [String] {
    cache.read { state in
      let ring = state.extensions.record
      let rows = ring.rows(since: ring.first)
      var (faults, places): ([String], Set<Int>) = ([], [])
      for slot in state.slots.indices {
        guard let key = state.slots[slot].key else { continue }
        guard let place = ring.place(of: slot) else {
          faults.append("\(key.key) has no place")
          continue
        }
        if !places.insert(place).inserted { faults.append("\(key.key) shares its place") }
        if ring.names[place] != key { faults.append("\(key.key) is another one") }
        let recorded = ring.keys[place].present
        var present = state.slots[slot].machine.recordedState
        if state.slots[slot].isLayered { present.bits |= RecordedState.Bit.layered }
        present.options = recorded.options
        if present != recorded { faults.append("\(key.key) is \(present), not \(recorded)") }
        let terms = ring.options.terms[recorded.options]
        if let query = state.slots[slot].query, query.terms != terms {
          faults.append("\(key.key) has other options")
        }
      }
      for place in ring.keys.indices {
        let own = rows.filter { $0.code.isOfEntry && Int($0.subject) == place }
        let key = ring.keys[place]
        if Int(key.rowCount) != own.count { faults.append("\(place) has \(own.count) rows") }
        if key.present.isPresent != places.contains(place) { faults.append("\(place) is there") }
        if (ring.names[place] == nil) != (own.isEmpty && !key.present.isPresent) {
          faults.append("\(place) is not free")
        }
        guard key.present.isPresent else { continue }
        var last = own.last?.state ?? key.base
        last.options = key.present.options
        if last != key.present {
          faults.append("\(place) was \(last), is \(key.present)")
        }
      }
      if ring.hasNews || ring.begun != nil { faults.append("the transaction goes on") }
      return faults
    }
  }
}
