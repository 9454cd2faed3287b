import Foundation
import Testing

@testable import StreamQuery

struct QueryRecordCodingTests {
  /// A record with an event of each kind.
  static let full: QueryRecord = {
    var record = QueryRecord(
      date: Date(timeIntervalSince1970: 1_764_430_000.25),
      duration: .microseconds(90),
      firstNumber: 7,
      lostCount: 6,
      base: QueryRecord.Base(isOnline: false, isActive: true)
    )
    var state = QueryRecord.State(status: .error, fetchStatus: .paused)
    (state.hasData, state.isInvalidated, state.isPlaceholder) = (true, true, true)
    (state.isLayered, state.isActive, state.isStreaming) = (true, true, true)
    (state.cause, state.updatedAt, state.options) = (.trigger, .microseconds(-5), 3)
    (state.observerCount, state.waiterCount) = (4, 5)
    (state.dataUpdateCount, state.failureCount) = (6, 7)
    record.keys = [
      QueryRecord.Key(
        number: 1,
        text: #"["user", 42]"#,
        valueType: "User",
        parts: [
          .text("user"), .int(42), .number(0.5), .bool(true), .null, .list([.int(1)]),
          .fields(["a": .text("b")]),
        ],
        base: state
      ),
      QueryRecord.Key(number: 2, text: "[]", valueType: "Int", parts: []),
    ]
    record.runs = [
      QueryRecord.Run(
        number: 1,
        mutation: #"["rename"]"#,
        scope: "s",
        started: .microseconds(-2),
        base: .retrying
      ),
      QueryRecord.Run(number: 2, mutation: #"["add"]"#, started: .microseconds(2)),
    ]
    var options = QueryRecord.Options(number: 3, staleTime: .after(.seconds(1)), gcTime: .never)
    (options.retry, options.refetchInterval) = ("3 times", .dynamic)
    var dynamic = QueryRecord.Options(number: 4, staleTime: .static, gcTime: .dynamic)
    dynamic.isEnabled = nil
    record.options = [options, dynamic]
    record.errors = [QueryRecord.Failure(number: 1, text: "no \"network\"")]
    record.values = [QueryRecord.Value(event: 7, json: #"{"name":"Ada"}"#)]
    let entries: [QueryRecord.EntryStep] = [
      .changed, .added, .removed(.evicted, isKeptEmpty: true), .observed, .unobserved,
      .fetchStarted(fetch: 1),
      .attemptFailed(fetch: 1, count: 2, retryAfter: .microseconds(9), error: 1),
      .fetchPaused(fetch: 1), .fetchResumed(fetch: 1),
      .fetchSucceeded(fetch: 1, isNotModified: true), .fetchFailed(fetch: 1, error: 1),
      .fetchCancelled(fetch: 1), .written, .invalidated, .reset, .servedStale(count: 3),
      .layered(run: 1), .unlayered(run: 1), .adopted,
    ]
    let runs: [QueryRecord.RunStep] = [
      .started, .paused, .resumed, .performing(attempt: 1),
      .attemptFailed(count: 1, retryAfter: .microseconds(8), error: 1), .stopped(error: 1),
      .callbackFailed(error: 1, callback: "onSuccess"), .succeeded, .failed(error: 1), .cancelled,
    ]
    let kinds =
      entries.map { QueryRecord.Kind.entry($0, key: 1, state: state) }
      + [.entry(.removed(.expired, isKeptEmpty: false), key: 1, state: nil)]
      + runs.map { .run($0, run: 1) }
      + [
        .network(isOnline: true), .activity(isActive: false), .trigger("t"),
        .persistenceFailed(key: nil, store: "FileStore", error: 1),
        .bulk(.clear, filter: ".all", matches: 2),
      ]
    for (position, kind) in kinds.enumerated() {
      let time = Duration.microseconds(2 * position)
      record.events.append(QueryRecord.Event(number: 7 + position, time: time, kind: kind))
    }
    return record
  }()

  private func text(_ record: QueryRecord) throws -> String {
    String(decoding: try record.json(), as: UTF8.self)
  }

  /// The result of reading a text: a record, or the words of the error.
  private func read(_ text: String) -> Result<QueryRecord, QueryRecordError> {
    do throws(QueryRecordError) {
      return .success(try QueryRecord(json: Data(text.utf8)))
    } catch {
      return .failure(error)
    }
  }

  @Test func aRecordComesBackAsItWasWritten() throws {
    try expectEqual(QueryRecord(json: Self.full.json()), Self.full)
  }

  private var newFile: URL {
    FileManager.default.temporaryDirectory
      .appendingPathComponent("record-\(UInt64.random(in: .min ... .max)).json")
  }

  @Test func aRecordComesBackFromAFile() throws {
    let url = newFile
    defer { try? FileManager.default.removeItem(at: url) }
    try Self.full.write(to: url)
    try expectEqual(QueryRecord(contentsOf: url), Self.full)
    #expect(throws: (any Error).self) {
      try QueryRecord(contentsOf: url.appendingPathComponent("none"))
    }
  }

  @Test func aPartOfARecordIsNotWrittenToAFile() throws {
    let url = newFile
    var part = Self.full
    part.lostCount = 0
    let error = QueryRecordError.malformed(
      "it is a part: the events before event 7 are in another"
    )
    #expect(throws: error) { try part.write(to: url) }
    // Nor one whose rows are in the record that it continues.
    part.lostCount = 6
    part.errors = []
    #expect(throws: QueryRecordError.self) { try part.write(to: url) }
    expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func aFileCountsAllEventsBeforeTheFirstOneAsLost() throws {
    let url = newFile
    defer { try? FileManager.default.removeItem(at: url) }
    // After lost events, a reader of news gets a whole record, with the number of those that it has missed.
    var record = Self.full
    record.lostCount = 2
    try record.write(to: url)
    #expect(try String(contentsOf: url, encoding: .utf8).contains(#""lost":6"#))
    try expectEqual(QueryRecord(contentsOf: url), Self.full)
    // A reader that has dropped its own oldest events may not have counted them.
    let trimmed = try text(Self.full).replacingOccurrences(of: #""lost":6"#, with: #""lost":0"#)
    try expectEqual(read(trimmed).get(), Self.full)
    // Events that were lost before event 1 was given a number still count.
    (record.firstNumber, record.lostCount, record.events) = (1, 5, [])
    try record.write(to: url)
    try expectEqual(QueryRecord(contentsOf: url).lostCount, 5)
  }

  @Test func aRecordWithoutItsOldestEventsTellsHowManyAreLost() throws {
    let url = newFile
    defer { try? FileManager.default.removeItem(at: url) }
    // As a reader would do that keeps only the newest ones.
    var record = Self.full
    record.events.removeFirst(3)
    try record.write(to: url)
    let read = try QueryRecord(contentsOf: url)
    expectEqual(read.lines.first, "lost 3")
    expectEqual(read.events.dropFirst(), record.events[...])
    expectEqual(read.finalStates, record.finalStates)
  }

  @Test func theFormatIsTheOneThatIsDescribed() throws {
    var record = QueryRecord(date: Date(timeIntervalSince1970: 5), duration: .microseconds(30))
    var state = QueryRecord.State(status: .success, fetchStatus: .fetching)
    (state.hasData, state.cause, state.updatedAt) = (true, .manual, .microseconds(10))
    record.keys = [
      QueryRecord.Key(number: 1, text: #"["n"]"#, valueType: "Int", parts: [.text("n")])
    ]
    record.events = [
      QueryRecord.Event(
        number: 1,
        time: .microseconds(10),
        kind: .entry(.written, key: 1, state: state)
      ),
      QueryRecord.Event(number: 2, time: .microseconds(12), kind: .network(isOnline: false)),
    ]
    try expectEqual(
      text(record),
      #"{"base":[1,1],"date":5,"errors":[],"events":[[10,12,1,[24597,0,0,10,0,0,0]],[2,50,0]],"#
        + #""first":1,"keys":[[1,"[\"n\"]","Int",["n"],null]],"lost":0,"now":30,"options":[],"#
        + #""runs":[],"streamquery":"record","values":[],"version":1}"#
    )
  }

  @Test func anotherVersionIsRefused() throws {
    let later = try text(Self.full).replacingOccurrences(of: #""version":1"#, with: #""version":2"#)
    expectEqual(read(later), .failure(.unsupportedVersion(2)))
  }

  @Test func whatALaterVersionAddsIsSkipped() throws {
    let small =
      #"{"streamquery":"record","version":1,"date":0,"now":9,"first":1,"lost":0,"base":[1,1,7],"#
      + #""options":[[1,{"staleTime":"soon","gcTime":5,"new":[]}]],"keys":[[1,"k","Int",[],null,8]],"#
      + #""runs":[],"errors":[],"new":{"a":[1]},"events":[[1,12,1,null],[1,29,{"a":1}],"#
      + #"[1,99,[]],[1,12,1,[0,0,0,null,0,0,0,9],5],[1,54,9,"f",1]]}"#
    let record = try read(small).get()
    expectEqual(record.events.map(\.number), [1, 4])
    expectEqual(record.events.map(\.time), [.microseconds(1), .microseconds(4)])
    expectEqual(record.options.first?.staleTime, .dynamic)
    // Numbers stay when it is written again.
    let again = try QueryRecord(json: record.json())
    expectEqual(again.events.filter { $0.number != 2 }, record.events)
  }

  @Test func theStateAfterAnEventOfALaterVersionIsKept() throws {
    let small =
      #"{"streamquery":"record","version":1,"date":0,"now":9,"first":1,"lost":0,"base":[1,1],"#
      + #""options":[],"keys":[[1,"k","Int",[],null]],"runs":[],"errors":[],"events":["#
      + #"[1,29,1,[0,1,0,null,0,0,0]],[1,19,1,null,{"a":[1]},"b",[17,2,0,5,3,0,0,"later"]],"#
      // A removal for a reason of a later version.
      + #"[1,2,1,9,0,null],[1,25,1,[1],[17,0,0,5,1,0,0]],[1,25,1,[1],null],"#
      // Not known to have a state.
      + #"[1,19,1],[1,19],[1,19,"k",null],[1,19,0,null],[1,19,1,[17]],[1,19,1,5],"#
      + #"[1,49,1,[17,0,0,5,1,0,0]],[1,61,1,null],[1,256,1,null],[1,3,1,[0,1,0,null,0,0,0]]]}"#
    let record = try read(small).get()
    expectEqual(
      record.lines,
      [
        "1 changed: pending idle, observers 1", "1 changed: success idle, observers 2, data 3",
        "1 changed: gone", "1 changed: success idle, data 1", "1 changed: gone",
        "1 observed: pending idle, observers 1",
      ]
    )
    expectEqual(record.events.map(\.number), [1, 2, 3, 4, 5, 15])
    expectEqual(record.events.last?.time, .microseconds(15))
  }

  @Test(
    arguments: [
      "", "{", "null", "[]", "3", #""record""#, "{}",
      #"{"streamquery":"other","version":1}"#,
      #"{"streamquery":"record","version":"1"}"#,
      #"{"streamquery":"record","version":1}"#,
      #"{"streamquery":"record","version":1.5}"#,
      #"{"streamquery":"record","version":99999999999999999999}"#,
      String(repeating: "[", count: 100_000),
      #"{"streamquery":"record","version":1,"keys":"# + String(repeating: "[", count: 100_000),
    ]
  )
  func otherTextsAreRefused(text: String) {
    guard case .failure = read(text) else {
      Issue.record("read \(text.prefix(80))")
      return
    }
  }

  @Test(
    arguments: [
      (#""first":7"#, #""first":0"#), (#""first":7"#, #""first":-1"#),
      (#""first":7"#, #""first":9223372036854775807"#),
      (#""first":7"#, #""first":9007199254740992"#),
      (#""lost":6"#, #""lost":-6"#), (#""lost":6"#, #""lost":"6""#),
      (#""now":90"#, #""now":1e300"#), (#""now":90"#, #""now":-9223372036854775808"#),
      (#""now":90"#, #""now":9223372036854775807"#), (#""now":90"#, #""now":NaN"#),
      (#""base":[0,1]"#, #""base":[0]"#), (#""base":[0,1]"#, #""base":[{},1]"#),
      (#""date":1764430000.25"#, #""date":1e308"#), (#""date":1764430000.25"#, #""date":1e999"#),
      (#"[2,1,1,"#, #"[-2,1,1,"#), (#"[2,1,1,"#, #"[9007199254740993,1,1,"#),
      (#"[2,1,1,"#, #"[2,1,0,"#), (#"[2,1,1,"#, #"[2,1,-1,"#), (#"[2,1,1,"#, #"[2,1,[1],"#),
      (#"[2,1,1,"#, #"[2,-1,1,"#), (#"[2,50,1]"#, #"[2,50]"#), (#"[2,52,"t"]"#, #"[2,52,5]"#),
      (#"[[1,"no"#, #"[[0,"no"#), (#"[[1,"no"#, #"[[2,"no"#),
      (#"[2,1,1,"#, #"[2,1,9,"#), (#"[2,30,1]"#, #"[2,30,9]"#), (#"[[3,{"#, #"[[9,{"#),
    ]
  )
  func aDamagedRecordIsRefused(damage: (old: String, new: String)) throws {
    let text = try text(Self.full)
    let damaged = text.replacingOccurrences(of: damage.old, with: damage.new)
    expect(damaged != text)
    guard case .failure(.malformed) = read(damaged) else {
      Issue.record("read \(damage.new)")
      return
    }
  }

  @Test func aTimeAtTheLimitIsReadAndNothingBeyondIt() throws {
    let limit = Duration.microseconds(9_007_199_254_740_992 as Int64)
    let past = Duration.zero - limit
    var record = QueryRecord(date: Date(timeIntervalSince1970: 0), duration: limit)
    var state = QueryRecord.State(status: .success)
    (state.hasData, state.updatedAt) = (true, past)
    record.keys = [
      QueryRecord.Key(number: 1, text: "k", valueType: "Int", parts: [], base: state)
    ]
    record.runs = [QueryRecord.Run(number: 1, mutation: "m", started: past)]
    record.options = [QueryRecord.Options(number: 1, staleTime: .after(limit), gcTime: .never)]
    record.errors = [QueryRecord.Failure(number: 1, text: "e")]
    record.events = [
      QueryRecord.Event(
        number: 1,
        time: limit,
        kind: .run(.attemptFailed(count: 1, retryAfter: limit, error: 1), run: 1)
      )
    ]
    let written = try text(record)
    try expectEqual(read(written).get(), record)
    for place in written.ranges(of: "9007199254740992") {
      let beyond = written.replacingCharacters(in: place, with: "9007199254740993")
      #expect(throws: QueryRecordError.self, "\(beyond)") { try read(beyond).get() }
    }
    expectEqual(written.ranges(of: "9007199254740992").count, 6)
    // A time beyond the limit is written as the limit.
    record.duration = .seconds(Int64.max)
    try expectEqual(text(record), written)
  }

  /// A record that user code has changed.
  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    private let change: @Sendable (inout QueryRecord) -> Void

    var record: QueryRecord {
      var record = QueryRecordCodingTests.full
      change(&record)
      return record
    }

    init(_ name: String, _ change: @escaping @Sendable (inout QueryRecord) -> Void) {
      (testDescription, self.change) = (name, change)
    }

    static func event(_ kind: QueryRecord.Kind) -> Self {
      Self("\(kind)") { $0.events[0].kind = kind }
    }

    static func state(
      _ name: String,
      _ change: @escaping @Sendable (inout QueryRecord.State) -> Void
    ) -> Self {
      Self(name) { record in
        var state = QueryRecord.State()
        change(&state)
        record.keys[0].base = state
      }
    }

    /// Lists in lists.
    static func part(_ levels: Int) -> QueryRecord.Part {
      (0..<levels).reduce(QueryRecord.Part.null) { part, _ in .list([part]) }
    }

    static let rows: [Self] = [
      Self("date") { $0.date = Date(timeIntervalSince1970: .infinity) },
      Self("date") { $0.date = Date(timeIntervalSince1970: 1e12) },
      Self("first") { $0.firstNumber = 0 }, Self("first") { $0.firstNumber = .min },
      Self("first") { $0.firstNumber = .max }, Self("first") { $0.firstNumber = 8 },
      Self("lost") { $0.lostCount = -1 }, Self("lost") { $0.lostCount = .max },
      Self("event") { $0.events[0].number = .min }, Self("event") { $0.events[0].number = .max },
      Self("event") { $0.events[1].number = 7 }, Self("events") { $0.events.reverse() },
      Self("key") { $0.keys[0].number = 0 }, Self("key") { $0.keys[0].number = .min },
      Self("run") { $0.runs[0].number = .max }, Self("options") { $0.options[0].number = -1 },
      Self("error") { $0.errors[0].number = 0 }, Self("value") { $0.values[0].event = 0 },
      Self("span") { $0.options[0].staleTime = .after(.seconds(-1)) },
      Self("part") { $0.keys[0].parts = [.number(.nan)] },
      Self("part") { $0.keys[0].parts = [.fields(["a": .number(-.infinity)])] },
      Self("part") { $0.keys[0].parts = [part(125)] },
      Self("part") { $0.keys[0].parts = [.fields(["a": part(1_000)])] },
    ]

    static let states: [Self] = [
      state("observers") { $0.observerCount = -1 }, state("callers") { $0.waiterCount = .max },
      state("updates") { $0.dataUpdateCount = .min }, state("failures") { $0.failureCount = -1 },
      state("options") { $0.options = -1 },
    ]

    static let kinds: [Self] = [
      event(.entry(.changed, key: 0, state: nil)), event(.entry(.changed, key: .min, state: nil)),
      event(.entry(.fetchStarted(fetch: -1), key: 1, state: nil)),
      event(.entry(.fetchFailed(fetch: 1, error: .max), key: 1, state: nil)),
      event(
        .entry(
          .attemptFailed(fetch: 1, count: 1, retryAfter: .seconds(-1), error: 1),
          key: 1,
          state: nil
        )
      ),
      event(.entry(.servedStale(count: -1), key: 1, state: nil)),
      event(.run(.started, run: 0)), event(.run(.performing(attempt: -1), run: 1)),
      event(.run(.attemptFailed(count: 1, retryAfter: .seconds(-1), error: 1), run: 1)),
      event(.run(.callbackFailed(error: -1, callback: ""), run: 1)),
      event(.persistenceFailed(key: -1, store: "", error: 1)),
      event(.persistenceFailed(key: nil, store: "", error: -1)),
      event(.bulk(.clear, filter: "", matches: -1)),
      event(.lost(count: -1)), event(.lost(count: .max)),
    ]

    static let accepted: [Self] = [
      Self("time") { $0.events[0].time = .seconds(Int64.min) },
      Self("time") { $0.events[0].time = .seconds(Int64.max) },
      Self("taken") { $0.duration = .seconds(Int64.min) },
      Self("part") { $0.keys[0].parts = [part(124)] },
      Self("started") { $0.runs[0].started = .seconds(Int64.max) },
      Self("events") { $0.events.removeAll { $0.number % 3 == 0 } },
      state("updated") { $0.updatedAt = .seconds(Int64.min) },
    ]
  }

  @Test(arguments: Change.rows + Change.states + Change.kinds)
  func aRecordThatWasMadeUnreadableIsNotWritten(change: Change) {
    let record = change.record
    #expect(throws: QueryRecordError.self) { try record.json() }
    #expect(throws: (any Error).self) { try JSONEncoder().encode(record) }
  }

  @Test(arguments: Change.accepted)
  func aRecordThatWasChangedIsReadAsFarAsTheFormatGoes(change: Change) throws {
    let record = change.record
    let read = try QueryRecord(json: record.json())
    try expectEqual(read.json(), record.json())
  }

  @Test func timesNeedMoreRoomThanTheWordOfAWatch() throws {
    // A watch counts in 32 bits, which are 36 minutes.
    let hours: Int64 = Duration.seconds(36_000).recorded
    expectEqual(hours, 36_000_000_000)
    try expectEqual(Duration(recorded: hours), .seconds(36_000))
  }

  @Test func aRecordThatIsCutOffIsRefused() throws {
    let json = try Self.full.json()
    for length in 0..<json.count {
      #expect(throws: QueryRecordError.self, "\(length)") {
        try QueryRecord(json: json.prefix(length))
      }
    }
  }

  /// Nothing traps, and no text is read that cannot be written again.
  @Test(arguments: Seeds.few(10))
  func aRecordWithFlippedBytesIsReadOrRefused(seed: UInt64) throws {
    var chance = Chance(seed: seed)
    let json = try Self.full.json()
    for _ in 0..<300 {
      var bytes = json
      for _ in 0..<(1 + chance.below(3)) {
        let digits = Array("0123456789-[]{},\"eE.:ntf".utf8)
        let place = chance.below(bytes.count)
        bytes[place] = chance.oneIn(2) ? chance.pick(digits) : UInt8(chance.below(256))
      }
      do {
        let record = try QueryRecord(json: bytes)
        let again = try QueryRecord(json: record.json())
        expectEqual(again.keys, record.keys)
        expect(Set(record.events).isSubset(of: again.events))
      } catch {
        // Refused, with an error of its type.
      }
    }
  }

  @Test func aTextWithMarkupInItIsNoStrangerThanOthers() throws {
    var record = QueryRecord(date: Date(timeIntervalSince1970: 0))
    let text = "</script><img src=x onerror=alert(1)>\u{0}\u{2028}\u{1F600}\"\\"
    record.keys = [QueryRecord.Key(number: 1, text: text, valueType: text, parts: [.text(text)])]
    try expectEqual(QueryRecord(json: record.json()), record)
  }
}
