import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Temporary identifiers that a server replaces.
struct OutboxIdentifierTests: OutboxSuite {
  let simulation = Simulation(seed: 9)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  private var create: Mutation<Note, String> {
    note("create").replacingIDs { input, output in ["temp\(input.number)": output] }
  }

  @Test("what waits is sent with the real identifier, in memory and in the store")
  func replaced() {
    online.send(false)
    let key = QueryKey<String>("text")
    let edit = note("edit").optimistic { input, changes in changes.update(key) { $0 = input.text } }
    let client = client()
    simulation.start(create, with: Note(number: 1), on: client)
    simulation.start(edit, with: Note(number: 2, text: "temp1"), on: client)
    simulation.start(edit.scope("apart"), with: Note(number: 3, text: "temp10"), on: client)
    expectEqual(client.data(for: key), "temp10")
    server.fail(3, Boom(1), Boom(2), Boom(3), Boom(4))
    server.fail(2, Boom(1))
    online.send(true)
    simulation.advance(by: .milliseconds(25))
    expectEqual(kept(), ["{number:2,text:real1}", "{number:3,text:temp10}"])
    simulation.advance(by: .seconds(2))
    let sent = server.log.all.filter { $0.contains(" 2") }
    expectEqual(sent, ["10 2real1", "20 2real1 failed", "1020 2real1", "1030 2real1 done"])
    // Typed after the answer, by an app that has not seen it.
    simulation.start(edit, with: Note(number: 4, text: "temp1"), on: client)
    simulation.advance(by: .seconds(1))
    let last = server.log.all.filter { $0.contains(" 4") }
    expectEqual(last, ["2025 4real1", "2035 4real1 done"])
    client.shutDown()
  }

  @Test("an answer that comes while the client ends is in the records that it leaves")
  func replacedAtTheEnd() throws {
    let edit = note("edit")
    let client = client()
    simulation.start(create, with: Note(number: 1), on: client)
    simulation.start(edit, with: Note(number: 2, text: "temp1"), on: client)
    expectEqual(kept(), ["{number:1,text:}", "{number:2,text:temp1}"])
    // The first half of `shutDown()`: another thread brings the answer before the second one.
    let engine = try #require(client.durableRuns as? OutboxEngine)
    engine.end(writing: true)
    simulation.advance(by: .milliseconds(15))
    client.shutDown()
    simulation.settle()
    expectEqual(kept(), ["{number:2,text:real1}"])
  }

  @Test("what waits for the store is sent with an identifier that was replaced before")
  func replacedBeforeItIsRead() throws {
    store.change { $0.loading = .seconds(1) }
    let edit = note("edit")
    let client = client(knowing: [edit])
    simulation.start(edit, with: Note(number: 2, text: "temp1"), on: client)
    // Threads do that: what was kept is answered while what waited is about to be accepted.
    let engine = try #require(client.durableRuns as? OutboxEngine)
    engine.update { $0.replacements = ["temp1": "real1"] }
    simulation.advance(by: .seconds(2))
    expectEqual(server.log.all, ["1000 2real1", "1010 2real1 done"])
    client.shutDown()
  }

  /// Texts whose reading gives another thread the time to do something.
  private struct SlowTexts: Codable, Sendable {
    static let meanwhile = TestLock<(@Sendable () -> Void)?>(nil)

    var texts: [String]

    init(texts: [String]) { self.texts = texts }

    init(from decoder: any Decoder) throws {
      texts = try decoder.container(keyedBy: CodingKeys.self).decode([String].self, forKey: .texts)
      let act = Self.meanwhile.withLock { meanwhile in
        defer { meanwhile = nil }
        return meanwhile
      }
      act?()
    }
  }

  @Test("an identifier that is replaced while an input is encoded is replaced there, too")
  func replacedWhileItIsKept() throws {
    online.send(false)
    let edit = Mutation<SlowTexts, String>("edit") { [server] input in
      server.log.add(input.texts.joined(separator: " "))
      return ""
    }
    .durable()
    let client = client()
    let engine = try #require(client.durableRuns as? OutboxEngine)
    engine.update { $0.replacements = ["temp1": "real1"] }
    // Another run succeeds on another thread, while this one reads its input with the first identifier: the
    // outbox does not have this run yet.
    SlowTexts.meanwhile.withLock { meanwhile in
      meanwhile = { engine.update { $0.replacements["temp2"] = "real2" } }
    }
    simulation.start(edit, with: SlowTexts(texts: ["temp1", "temp2"]), on: client)
    expectEqual(kept(), ["{texts:[real1,real2]}"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["real1 real2"])
    client.shutDown()
  }

  @Test("what another client leaves is sent with an identifier that was replaced before")
  func replacedBeforeItIsLeft() {
    let edit = note("edit")
    let client = client(knowing: [create, edit])
    simulation.start(create, with: Note(number: 1), on: client)
    simulation.advance(by: .milliseconds(20))
    online.send(false)
    let other = self.client()
    simulation.start(edit, with: Note(number: 2, text: "temp1"), on: other)
    expectEqual(kept(), ["{number:2,text:temp1}"])
    other.shutDown()
    simulation.settle()
    expectEqual(kept(), ["{number:2,text:real1}"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.dropFirst(2), ["20 2real1", "30 2real1 done"])
    client.shutDown()
  }

  /// A text that is not every one.
  private struct Choosy: Codable, Sendable {
    var text: String

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
      if text == "real1" { throw Boom(1) }
    }
  }

  @Test("an identifier that an input does not take leaves it as it was, for the next one")
  func notTaken() {
    let create = note("create").replacingIDs { _, output in ["temp": output] }
    let edit = Mutation<Choosy, String>("edit") { [server] input in
      server.log.add(input.text)
      return ""
    }
    .delayed(by: .seconds(1))
    .durable()
    let client = client()
    let events = simulation.record(client.events)
    simulation.start(edit, with: Choosy(text: "temp"), on: client)
    simulation.start(create, with: Note(number: 1), on: client)
    simulation.advance(by: .milliseconds(20))
    expectEqual(kept(), ["{text:temp}"])
    expectEqual(failures(events).count, 1)
    simulation.start(create, with: Note(number: 2), on: client)
    simulation.advance(by: .milliseconds(20))
    expectEqual(kept(), ["{text:real2}"])
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.last, "real2")
    client.shutDown()
  }

  @Test("a run that is under way is sent with the real identifier when it is tried again")
  func underWay() {
    let edit = note("edit").scope("apart")
    let client = client()
    server.fail(2, Boom(1))
    simulation.start(edit, with: Note(number: 2, text: "temp1"), on: client)
    simulation.advance(by: .milliseconds(5))
    simulation.start(create, with: Note(number: 1), on: client)
    simulation.advance(by: .seconds(2))
    expectEqual(
      server.log.all,
      [
        "0 2temp1", "5 1", "10 2temp1 failed", "15 1 done", "1010 2real1", "1020 2real1 done",
      ]
    )
    expectEqual(Set(server.keys.all).count, 2)
    client.shutDown()
  }

  @Test("the replacement is written together with the removal, so that no kill separates them")
  func oneBatch() throws {
    online.send(false)
    let client = client()
    simulation.start(create, with: Note(number: 1), on: client)
    simulation.start(note("edit"), with: Note(number: 2, text: "temp1"), on: client)
    let before = store.batches.count
    online.send(true)
    simulation.advance(by: .milliseconds(11))
    let batch = try #require(store.batches.dropFirst(before).first)
    #expect((batch.puts.count, batch.removals.count) == (1, 1))
    let next = kill(client)
    let other = self.client(in: next, knowing: [create, note("edit")])
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.last?.hasSuffix(" 2real1 done"), true)
    other.shutDown()
  }

  @Test(
    "two thousand items that wait, each of which replaces an identifier, take no square of that"
  )
  func manyItems() {
    online.send(false)
    let client = client()
    let count = 2_000
    let mutation = Mutation<Note, String>(key: "create") { "real\($0.number)" }
      .replacingIDs { input, output in ["temp\(input.number)": output] }
      .durable()
    for number in 0..<count {
      client.observer(of: mutation).start(with: Note(number: number, text: "temp\(number - 1)"))
    }
    simulation.settle()
    expectEqual(kept().count, count)
    let began = ContinuousClock.now
    online.send(true)
    simulation.settle()
    #expect(ContinuousClock.now - began < .seconds(15))
    expectEmpty(kept())
    client.shutDown()
  }

  @Test func textsOfJSONAreReplacedAsAWhole() {
    func replaced(_ json: String) -> String? {
      IdentifierText.replacing(["a": "b", "c\"d": "e", "é": "x\"y"], in: Data(json.utf8)).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    expectEqual(
      replaced(#"{"k":"a","l":["a","aa",{"a":1}]}"#),
      #"{"k":"b","l":["b","aa",{"b":1}]}"#
    )
    expectEqual(replaced(#""a""#), #""b""#)
    expectEqual(replaced(#"["c\"d","\u0061","\\","é","\u00e9"]"#), #"["e","b","\\","x\"y","x\"y"]"#)
    expectNil(replaced(#"["b",1,null]"#))
    expectNil(replaced(""))
    expectNil(replaced(#"["a"#))
    expectNil(replaced(#""\"#))
  }
}
