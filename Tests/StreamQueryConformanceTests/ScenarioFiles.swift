#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where the project's scenarios lie: beside this file, so that no bundle has to carry them.
enum ScenarioFiles {
  /// A file, and what is in it.
  struct File: Sendable {
    var name: String
    /// `nil` if the file cannot be read as a scenario.
    var scenario: Scenario?
    /// Why it cannot.
    var problem = ""
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().path(
    percentEncoded: false
  )

  /// The project's own scenarios by name.
  static let all: [String: Scenario] = {
    let own = load(folder + "/Scenarios") + load(folder + "/Random")
    return Dictionary(
      own.compactMap(\.scenario).map { ($0.name, $0) },
      uniquingKeysWith: { $1 }
    )
  }()

  /// Which of them are random: those that no deviation may name.
  static let random: Set<String> = Set(load(folder + "/Random").compactMap { $0.scenario?.name })

  /// The scenario files of a folder, in the order of their names.
  static func load(_ folder: String) -> [File] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted().map { name in
      guard let text = read(folder + "/" + name) else {
        return File(name: name, problem: "cannot be read")
      }
      do {
        return File(name: name, scenario: try Scenario(parsing: text))
      } catch {
        return File(name: name, problem: "is no scenario: \(message(of: error))")
      }
    }
  }

  static func read(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }
}
