import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Archives that are imported by a client whose store keeps data of the same keys.
struct KeptImportTests: SlowStoreSuite {
  enum Form: CaseIterable {
    case archive, bytes, sequence
  }

  let simulation = Simulation(seed: 28)
  let store: SlowStore

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  private func `import`(
    _ archive: CacheArchive,
    _ form: Form,
    into client: QueryClient
  ) throws -> ArchiveImport {
    let expected: [Archivable] = [.values(of: Int.self)]
    switch form {
    case .archive: return client.import(archive, for: expected)
    case .bytes: return try client.import(decoding: archive.encoded(), for: expected)
    case .sequence:
      let (archives, input) = AsyncStream.makeStream(of: CacheArchive.self)
      input.yield(archive)
      input.finish()
      return simulation.run { await client.import(contentsOf: archives, for: expected) }
    }
  }

  /// Keeps 2, and makes an archive of 1 that is older or newer.
  private func archive(isNewer: Bool) -> CacheArchive {
    _ = store.memory.wipe(.main)
    store.change { $0.loading = .zero }
    let (former, other) = (client(), QueryClient(simulation: simulation))
    if !isNewer { other.setData(1, for: key(1)) }
    simulation.advance(by: .seconds(2))
    former.setData(2, for: key(1))
    simulation.advance(by: .seconds(2))
    if isNewer { other.setData(1, for: key(1)) }
    former.shutDown()
    simulation.settle()
    return other.export().archive
  }

  @Test("newer data wins, also if only the store has it", arguments: Form.allCases, [false, true])
  func newerWins(_ form: Form, isNewer: Bool) throws {
    let archive = archive(isNewer: isNewer)
    let client = client()
    simulation.settle()
    let report = try `import`(archive, form, into: client)
    expectEqual(report.entryCount, isNewer ? 1 : 0)
    expectEqual(report.refusals, isNewer ? [] : [#"Swift.Int["n",1]: notNewer"#])
    expectEqual(client.data(for: key(1)), isNewer ? 1 : 2)
    client.shutDown()
    simulation.settle()
    expectEqual(kept, [#"Swift.Int["n",1] \#(isNewer ? 1 : 2)"#])
  }

  @Test("so it does if the store is read later", arguments: Form.allCases, [false, true])
  func readLater(_ form: Form, isNewer: Bool) throws {
    let archive = archive(isNewer: isNewer)
    store.change { $0.loading = .seconds(1) }
    let client = client()
    let report = try `import`(archive, form, into: client)
    expectEqual(report.entryCount, 1)
    expectNil(client.data(for: key(1)))
    simulation.advance(by: .seconds(3))
    expectEqual(client.data(for: key(1)), isNewer ? 1 : 2)
    client.shutDown()
    simulation.settle()
    expectEqual(kept, [#"Swift.Int["n",1] \#(isNewer ? 1 : 2)"#])
  }

  @Test(
    "what the store keeps as invalidated stays so when newer data is imported, used before or not",
    arguments: Form.allCases,
    [false, true]
  )
  func keptMark(_ form: Form, isUsed: Bool) throws {
    let (former, other) = (client(), QueryClient(simulation: simulation))
    former.setData(2, for: key(1))
    simulation.advance(by: .seconds(2))
    other.setData(1, for: key(1))
    simulation.advance(by: .seconds(2))
    former.markInvalidated(.all, refetch: .never)
    former.shutDown()
    simulation.advance(by: .seconds(2))
    let client = client()
    simulation.settle()
    if isUsed { expectEqual(client.data(for: key(1)), 2) }
    let report = try `import`(other.export().archive, form, into: client)
    expectEqual(report.entryCount, 1)
    expectEqual(client.data(for: key(1)), 1)
    expectEqual(client.diagnostics().map(\.isInvalidated), [true])
    client.shutDown()
  }

  @Test("below an optimistic change, newer data wins, too", arguments: [false, true])
  func belowLayer(isNewer: Bool) {
    let archive = archive(isNewer: isNewer)
    let client = client()
    simulation.settle()
    let key = key(1)
    let mutation = Mutation<Int, Int>("raise") { number in
      try await Scheduling.current.clock.sleep(for: .seconds(60))
      return number
    }
    .optimistic { number, changes in changes.update(key) { $0? += number } }
    simulation.start(mutation, with: 10, on: client)
    client.import(archive, for: [.values(of: Int.self)])
    expectEqual(client.data(for: key), isNewer ? 11 : 12)
    client.shutDown()
  }

  @Test("what the store keeps but nobody can decode gives way")
  func undecodable() {
    let archive = archive(isNewer: false)
    let client = client {
      $0.coding = ArchiveCoding {
        try JSONEncoder().encode($0)
      } decode: { _, _ in
        throw Boom(1)
      }
    }
    simulation.settle()
    expectEqual(client.import(archive, for: [.values(of: Int.self)]).entryCount, 1)
    expectEqual(client.data(for: key(1)), 1)
    client.shutDown()
  }

  @Test(
    "newer data wins, also if another query keeps it, which the key alone does not restore",
    arguments: [false, true],
    [false, true]
  )
  func keptForAnother(isNewer: Bool, endsBefore: Bool) {
    let draft = Query<Int>(key: key(1)).persisted(in: store)
    let (former, other) = (client(), QueryClient(simulation: simulation))
    other.setData(1, for: key(1))
    let older = other.export().archive
    simulation.advance(by: .hours(1))
    former.setData(2, for: draft)
    simulation.advance(by: .seconds(2))
    former.shutDown()
    simulation.advance(by: .hours(72))
    other.setData(1, for: key(1))
    let newer = other.export().archive
    if endsBefore { store.change { $0.loading = .seconds(1) } }
    let client = client()
    if !endsBefore { simulation.settle() }
    let report = client.import(isNewer ? newer : older, for: [.values(of: Int.self)])
    expectEqual(report.entryCount, isNewer || endsBefore ? 1 : 0)
    client.shutDown()
    simulation.advance(by: .seconds(5))
    expectEqual(kept, [#"Swift.Int["n",1] \#(isNewer ? 1 : 2)"#])
  }

  @Test(
    "what has happened since an archive named the key counts, also if the store is still being read",
    arguments: [false, true]
  )
  func changedSinceNamed(removes: Bool) {
    let archive = archive(isNewer: true)
    _ = store.memory.wipe(.main)
    store.change { $0.loading = .seconds(5) }
    let (client, key) = (client(), key(1))
    let (archives, input) = AsyncStream.makeStream(of: CacheArchive.self)
    let report = simulation.task {
      await client.import(contentsOf: archives, for: [.values(of: Int.self)])
    }
    simulation.settle()
    input.yield(CacheArchive(pending: [#"Swift.Int["n",1]"#]))
    simulation.settle()
    if removes { client.remove(key) } else { client.markInvalidated(.key(key), refetch: .never) }
    input.yield(archive)
    input.finish()
    simulation.advance(by: .seconds(10))
    expectEqual(client.data(for: key), removes ? nil : 1)
    expectEqual(client.diagnostics(.key(key)).map(\.isInvalidated), removes ? [] : [true])
    let refusals = simulation.run { await report.value }.refusals
    expectEqual(refusals, removes ? [#"Swift.Int["n",1]: superseded"#] : [])
    client.shutDown()
  }

  @Test("what is removed while the store is read is not filled", arguments: [false, true])
  func removedMeanwhile(clears: Bool) {
    let archive = archive(isNewer: true)
    store.change { $0.loading = .seconds(1) }
    let client = client()
    client.import(archive, for: [.values(of: Int.self)])
    if clears { client.clear() } else { client.remove(key(1)) }
    simulation.advance(by: .seconds(3))
    expectNil(client.data(for: key(1)))
    client.shutDown()
  }
}
