internal import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The record of one run: a header, and the encoded input.
///
/// The form is the text `SQO1`, four bytes with the length of the header (the least significant
/// first), the header as JSON, and the input as it is.
struct OutboxRecord: Sendable {
  struct Header: Codable, Hashable, Sendable {
    /// The identity of the run.
    var id: UUID
    /// The number of times that the input was changed.
    var revision: UInt64
    /// The mutation's key as text.
    var mutation: String
    var scope: String?
    /// The text of the pacing key; of runs with the same key, a newer one may replace an older one.
    var pacingKey: String?
    /// The date when the run was started, in seconds since the reference date.
    var date: Double
    /// The version of the input's encoded form.
    var version: String

    var lane: Lane { Lane(mutation: mutation, pacingKey: pacingKey) }
  }

  /// The values that two runs of a scope have in common if the newer one may replace the older one: the
  /// mutation and the pacing key.
  struct Lane: Hashable, Sendable {
    let mutation: String
    let pacingKey: String?
  }

  static let prefix = "outbox/"
  private static let magic = Array("SQO1".utf8)

  let header: Header
  /// The bytes of the whole record.
  let data: Data
  private let inputStart: Int

  /// The encoded input.
  var input: Data { data[(data.startIndex + inputStart)...] }

  var id: RunIdentity { RunIdentity(header.id) }

  init(_ header: Header, input: Data) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    // JSON has no form for a date that is not a finite number.
    var header = header
    if !header.date.isFinite { header.date = 0 }
    let text = try encoder.encode(header)
    var data = Data(Self.magic)
    for shift in [0, 8, 16, 24] { data.append(UInt8(truncatingIfNeeded: text.count >> shift)) }
    data.append(text)
    inputStart = data.count
    data.append(input)
    self.header = header
    self.data = data
  }

  /// Reads a record; `nil` if it is damaged, or was written by a later version.
  init?(_ data: Data) {
    let start = data.startIndex
    guard data.count >= 8, data.prefix(4).elementsEqual(Self.magic) else { return nil }
    var number: UInt32 = 0
    for place in 0..<4 { number |= UInt32(data[start + 4 + place]) << (8 * UInt32(place)) }
    guard let length = Int(exactly: number), length <= data.count - 8,
      var header = try? JSONDecoder().decode(
        Header.self,
        from: data[(start + 8)..<(start + 8 + length)]
      )
    else { return nil }
    header.revision = header.revision.leavingRoom
    self.header = header
    self.data = data
    inputStart = 8 + length
  }

  /// Returns the record of the same run with another input.
  ///
  /// - Parameters:
  ///   - input: The encoded input.
  ///   - revision: The number of changes of the input.
  ///   - version: The version of the input's encoded form; `nil` keeps the present one.
  /// - Returns: The record.
  /// - Throws: The error of encoding the header.
  func with(input: Data, revision: UInt64, version: String? = nil) throws -> OutboxRecord {
    var header = header
    header.revision = revision
    if let version { header.version = version }
    return try OutboxRecord(header, input: input)
  }

  /// Returns the key of a record in the store.
  ///
  /// The number comes first, so that keys have the order of the runs. The identity follows, so that no two
  /// clients use the same key.
  static func key(_ serial: UInt64, _ id: RunIdentity) -> String {
    let number = String(serial)
    return prefix + String(repeating: "0", count: max(0, 20 - number.count)) + number + "-"
      + id.uuid.uuidString
  }

  /// Returns the number in a record's key; `nil` for any other key.
  static func serial(of key: String) -> UInt64? {
    guard key.hasPrefix(prefix) else { return nil }
    return UInt64(key.dropFirst(prefix.count).prefix { $0 != "-" })
  }
}
