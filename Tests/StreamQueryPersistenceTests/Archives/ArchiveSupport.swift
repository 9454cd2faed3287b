import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Types of an app. Not private: an archive names them, and the name must be stable.

struct ArchivedPerson: Codable, Hashable, Sendable {
  var name: String
  var height: Double?
}

enum ArchivedShelf: String, Codable, Sendable {
  case books, games
}

struct ArchivedRange: Codable, Hashable, Sendable {
  var low: Int
  var names: Set<String>
}

/// A value that cannot be encoded.
struct ArchivedStone: Hashable, Sendable {}

/// A part whose values do not decode what they encode.
struct ArchivedLiar: Codable, Hashable, Sendable {
  var number: Int

  init(number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self) + 1
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

extension ArchiveImport.Reason {
  /// The name of the case.
  var name: String {
    switch self {
    case .unknown: "unknown"
    case .unreadableKey: "unreadableKey"
    case .key: "key"
    case .undecodable: "undecodable"
    case .notNewer: "notNewer"
    case .superseded: "superseded"
    case .known: "known"
    case .missingPerform: "missingPerform"
    case .shutDown: "shutDown"
    }
  }
}

extension ArchiveImport {
  /// What was left out, as `key: reason`.
  var refusals: [String] { skipped.map { "\($0.key): \($0.reason.name)" } }
}

/// Numbers that are the same for the same seed.
struct ArchiveRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ (state >> 29)) &* 0x9e37_79b9_7f4a_7c15
  }
}

extension CacheArchive {
  /// The first line that fits a body, so that what lies behind it is reached.
  static func sealed(_ body: some Collection<UInt8>) -> Data {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in body { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Data("StreamQuery-archive 1 \(body.count) \(hash)\n".utf8) + Data(body)
  }
}
