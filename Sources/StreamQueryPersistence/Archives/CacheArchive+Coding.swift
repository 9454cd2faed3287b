internal import StreamQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension CacheArchive {
  private static var name: String { "StreamQuery-archive" }
  /// The maximum length of the first line, in all versions of the format.
  private static var longestHead: Int { 120 }

  /// Encodes the archive.
  ///
  /// - Returns: A line of text, followed by JSON. The bytes of equal archives are equal.
  /// - Throws: The errors of the encoder, which no content of an archive causes.
  public func encoded() throws -> Data {
    let body = try ValueJSON.encoder.encode(self)
    let head = "\(Self.name) \(Self.version) \(body.count) \(Self.checksum(body))\n"
    return Data(head.utf8) + body
  }

  /// Decodes an archive.
  ///
  /// - Parameters:
  ///   - data: Bytes that ``encoded()`` made.
  ///   - maxBytes: The maximum number of bytes to read.
  /// - Throws: The reason why the bytes cannot be used.
  public init(decoding data: Data, maxBytes: Int = 64 << 20) throws(CacheArchiveError) {
    guard data.count <= maxBytes else { throw .tooLarge(bytes: data.count, limit: maxBytes) }
    guard let newline = data.prefix(Self.longestHead).firstIndex(of: UInt8(ascii: "\n")) else {
      throw .notAnArchive
    }
    let head = String(decoding: data[data.startIndex..<newline], as: UTF8.self)
    let fields = head.split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count >= 2, fields[0] == Self.name, let version = Int(fields[1]) else {
      throw .notAnArchive
    }
    guard version == Self.version else { throw .unsupportedVersion(version) }
    guard fields.count == 4, let length = Int(fields[2]), let checksum = UInt64(fields[3]) else {
      throw .corrupt("the first line is not complete")
    }
    let body = data[data.index(after: newline)...]
    guard body.count == length else { throw .truncated }
    guard Self.checksum(body) == checksum else { throw .corrupt("the checksum differs") }
    if let error = CacheArchiveError(readingJSON: body, limit: KeyNesting.archive) { throw error }
    do {
      self = try ValueJSON.decoder.decode(CacheArchive.self, from: Data(body))
    } catch let error as CacheArchiveError {
      throw error
    } catch {
      throw .corrupt("\(error)")
    }
  }

  /// Returns the FNV-1a checksum, which detects accidental changes, but not forged ones.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }
}

extension CacheArchiveError {
  /// Creates the error for bytes that must not be decoded as JSON; `nil` if they can be decoded.
  init?(readingJSON data: Data, limit: Int) {
    switch data.withUnsafeBytes({ JSONNesting.fault(in: $0, limit: limit) }) {
    case nil: return nil
    case .tooDeep: self = .tooDeep(limit: limit)
    case .notUTF8: self = .corrupt("it is not UTF-8")
    }
  }
}

extension CacheArchive: Codable {
  private enum CodingKeys: String, CodingKey {
    case format, version, entries, mutations, pending
  }

  /// Encodes the name and the version of the format, and the content.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.name, forKey: .format)
    try container.encode(Self.version, forKey: .version)
    try container.encode(entries, forKey: .entries)
    try container.encode(mutations, forKey: .mutations)
    // An empty list is omitted, so that the bytes are those of earlier releases.
    if !pending.isEmpty { try container.encode(pending, forKey: .pending) }
  }

  /// Decodes an archive of a version that this library knows.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: ``CacheArchiveError`` for another format or version, otherwise the errors of the decoder.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard try container.decode(String.self, forKey: .format) == Self.name else {
      throw CacheArchiveError.notAnArchive
    }
    let version = try container.decode(Int.self, forKey: .version)
    guard version == Self.version else { throw CacheArchiveError.unsupportedVersion(version) }
    entries = try container.decode([Entry].self, forKey: .entries)
    mutations = try container.decode([PausedMutation].self, forKey: .mutations)
    pending = try container.decodeIfPresent([String].self, forKey: .pending) ?? []
  }
}
