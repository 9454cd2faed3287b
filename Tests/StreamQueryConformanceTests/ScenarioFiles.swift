#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where the project's scenarios lie: beside this file, so that no bundle has to carry them.
enum ScenarioFiles {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().path(
    percentEncoded: false
  )

  /// The project's own scenarios by name.
  static let all: [String: Scenario] = {
    let own = load(folder + "/Scenarios") + load(folder + "/Random")
    return Dictionary(own.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }()

  /// Which of them are random: those that no deviation may name.
  static let random: Set<String> = Set(load(folder + "/Random").map(\.name))

  /// The scenarios of a folder, in the order of file names; what cannot be read is left out, and a
  /// test counts.
  static func load(_ folder: String) -> [Scenario] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted().compactMap { name in
      read(folder + "/" + name).flatMap { try? Scenario(parsing: $0) }
    }
  }

  static func read(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }
}
