#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The format of version 1 is one JSON object. Times are microseconds since time 0, and an event has the
// time since the event before it. Readers skip numbers and members that they do not know, because a later
// version may add some. If a later version adds an event of entries, the event must have a code below 30,
// the key as its subject, and the state as its last element: this version reads the state. Any other change
// of the format needs another version number.
//
// An event is `[time, code, subject, details…, state]` with the codes of `RecordCode`, and a state is
// `[bits, observers, callers, time of the data or null, updates, failures, options]`.

extension QueryRecord {
  /// The version of the format.
  private static let version = 1
  /// The largest time in microseconds, and the largest count: JavaScript has no larger exact whole numbers.
  static let limit: Int64 = 1 << 53

  /// Reads a record from a file.
  ///
  /// - Parameter url: The file.
  /// - Throws: ``QueryRecordError`` for anything but a record that this version knows, or the error of reading
  ///   the file.
  public init(contentsOf url: URL) throws {
    try self.init(json: Data(contentsOf: url))
  }

  /// Reads a record from JSON.
  ///
  /// - Parameter json: The text in UTF-8.
  /// - Throws: ``QueryRecordError`` for anything but a record that this version knows.
  /// - Complexity: O(*n*) in the length of the text.
  package init(json: Data) throws(QueryRecordError) {
    switch json.withUnsafeBytes({ JSONNesting.fault(in: $0, limit: KeyNesting.value) }) {
    case .tooDeep: throw .malformed("it nests too deeply")
    case .notUTF8: throw .malformed("it is not UTF-8")
    case nil: break
    }
    do {
      self = try JSONDecoder().decode(QueryRecord.self, from: json)
    } catch let error as QueryRecordError {
      throw error
    } catch {
      throw .malformed("\(error)")
    }
    try checkReferences()
    countLostFromBeginning()
  }

  /// Writes the record to a file, which is replaced as a whole.
  ///
  /// - Parameter url: The file.
  /// - Throws: ``QueryRecordError/malformed(_:)`` for an element of ``QueryClient/recordUpdates`` that continues the
  ///   one before it, and for a record that was changed so that it could not be read. Or the error of writing the
  ///   file.
  public func write(to url: URL) throws {
    try checkWholeness()
    var record = self
    record.countLostFromBeginning()
    try record.json().write(to: url, options: .atomic)
  }

  /// Counts all events before the first one as lost, because the reader of a file has only this record.
  ///
  /// The count may be lower in an element of ``QueryClient/recordUpdates``: there it is the number of events
  /// that the reader has missed, and a reader may drop its own oldest events without counting them.
  private mutating func countLostFromBeginning() {
    if firstNumber > 1 { lostCount = max(lostCount, firstNumber - 1) }
  }

  /// The record as JSON.
  ///
  /// - Returns: The text in UTF-8.
  /// - Throws: ``QueryRecordError/malformed(_:)`` for a record that was changed so that it could not be read.
  package func json() throws(QueryRecordError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(self)
    } catch let error as QueryRecordError {
      throw error
    } catch {
      throw .malformed("\(error)")
    }
  }

  /// Checks that a date, in seconds since 1970, is within the range of the format.
  private static func checked(_ date: Double) throws(QueryRecordError) -> Double {
    guard date.isFinite, abs(date) < 1e11 else { throw .malformed("the date is out of range") }
    return date
  }

  private enum Member: String, CodingKey {
    case streamquery, version, date, first, lost, options, keys, runs, errors, base, events
    case values
    case taken = "now"
  }
}

extension QueryRecord: Encodable {
  /// Encodes the record in the newest format.
  ///
  /// Throws ``QueryRecordError/malformed(_:)`` instead of writing a record that no reader accepts.
  @_documentation(visibility: internal)
  public func encode(to encoder: any Encoder) throws {
    var record = encoder.container(keyedBy: Member.self)
    try record.encode("record", forKey: .streamquery)
    try record.encode(Self.version, forKey: .version)
    try record.encode(Self.checked(date.timeIntervalSince1970), forKey: .date)
    try record.encode(duration.recorded, forKey: .taken)
    try record.encode(firstNumber.counted(from: 1), forKey: .first)
    try record.encode(lostCount.counted(), forKey: .lost)
    try record.encode([base.isOnline ? 1 : 0, base.isActive ? 1 : 0], forKey: .base)
    try record.encode(options.map { RecordCoding.OptionsRow(row: $0) }, forKey: .options)
    try record.encode(keys.map { RecordCoding.KeyRow(row: $0) }, forKey: .keys)
    try record.encode(runs.map { RecordCoding.RunRow(row: $0) }, forKey: .runs)
    try record.encode(errors.map { RecordCoding.TextRow($0.number, $0.text) }, forKey: .errors)
    try record.encode(values.map { RecordCoding.TextRow($0.event, $0.json) }, forKey: .values)
    var list = record.nestedUnkeyedContainer(forKey: .events)
    var (number, time) = (Int64(firstNumber), Int64(0))
    for event in events {
      let present = try Int64(event.number).counted()
      guard present >= number else {
        throw QueryRecordError.malformed("event \(present) is not after event \(number - 1)")
      }
      if present > number {
        var gap = list.nestedUnkeyedContainer()
        try gap.encode(contentsOf: [0, Int64(RecordCode.lost.rawValue), present - number])
      }
      let next = max(event.time.recorded, time)
      var row = list.nestedUnkeyedContainer()
      try row.encode(next - time)
      try event.kind.encode(to: &row)
      time = next
      var taken: Int64 = 1
      if case .lost(let count) = event.kind { taken = Int64(max(count, 1)) }
      number = try (present + taken).counted()
    }
  }
}

extension QueryRecord: Decodable {
  /// Decodes a record of this version of the format.
  @_documentation(visibility: internal)
  public init(from decoder: any Decoder) throws {
    let record = try decoder.container(keyedBy: Member.self)
    guard try record.decode(String.self, forKey: .streamquery) == "record" else {
      throw QueryRecordError.malformed("it is not a record")
    }
    let version = try record.decode(Int.self, forKey: .version)
    guard version == Self.version else { throw QueryRecordError.unsupportedVersion(version) }
    let date = try Self.checked(record.decode(Double.self, forKey: .date))
    let base = try record.decode([Int].self, forKey: .base)
    guard base.count >= 2 else { throw QueryRecordError.malformed("the base is incomplete") }
    self.init(
      date: Date(timeIntervalSince1970: date),
      duration: try Duration(recorded: record.decode(Int64.self, forKey: .taken)),
      firstNumber: try record.decode(Int.self, forKey: .first).counted(from: 1),
      lostCount: try record.decode(Int.self, forKey: .lost).counted(),
      base: Base(isOnline: base[0] != 0, isActive: base[1] != 0)
    )
    options = try record.decode([RecordCoding.OptionsRow].self, forKey: .options).map(\.row)
    keys = try record.decode([RecordCoding.KeyRow].self, forKey: .keys).map(\.row)
    runs = try record.decode([RecordCoding.RunRow].self, forKey: .runs).map(\.row)
    errors = try record.decode([RecordCoding.TextRow].self, forKey: .errors)
      .map { Failure(number: $0.number, text: $0.text) }
    values =
      try record.decodeIfPresent([RecordCoding.TextRow].self, forKey: .values)?
      .map { Value(event: $0.number, json: $0.text) } ?? []
    var list = try record.nestedUnkeyedContainer(forKey: .events)
    var (number, time) = (Int64(firstNumber), Int64(0))
    while !list.isAtEnd {
      var row = try list.nestedUnkeyedContainer()
      time = try (time + row.decode(Int64.self).counted()).counted()
      // An event that only a later version knows takes a number, but is left out.
      if let kind = try Kind(from: &row) {
        let event = Event(number: Int(clamping: number), time: .microseconds(time), kind: kind)
        events.append(event)
        if case .lost(let count) = kind { number += Int64(max(count, 1)) - 1 }
      }
      number = try (number + 1).counted()
    }
  }
}

extension Duration {
  /// The duration in whole microseconds, as the format has it.
  ///
  /// This is an `Int64`, because the `Int` of a watch has room for only half an hour.
  var recorded: Int64 {
    let limit = Int128(QueryRecord.limit)
    let whole = attoseconds / 1_000_000_000_000
    return Int64(min(max(whole, -limit), limit))
  }

  /// Reads a duration of the format.
  init(recorded microseconds: Int64) throws(QueryRecordError) {
    guard (-QueryRecord.limit...QueryRecord.limit).contains(microseconds) else {
      throw .malformed("a time is out of range")
    }
    self = .microseconds(microseconds)
  }
}

extension FixedWidthInteger {
  /// Checks that a count is within the range of the format.
  func counted(from least: Self = 0) throws(QueryRecordError) -> Self {
    guard self >= least, self <= QueryRecord.limit else {
      throw .malformed("the number \(self) is out of range")
    }
    return self
  }
}
