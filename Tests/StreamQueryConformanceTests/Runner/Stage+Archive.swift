import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Stage {
  /// Keeps what a client holds, as bytes, under a name.
  func dehydrate(_ operation: JSON, _ name: String) {
    let errors: ArchiveErrorPolicy =
      operation["includeErrors"]?.bool == true ? .described : .leftOut
    let export = client(name).export(errors: errors)
    for skipped in export.skipped { violations.append("not archived: \(skipped)") }
    do {
      archives[operation["as"]?.string ?? ""] = try export.archive.encoded()
      answer(operation, try outcome(of: export.archive))
    } catch {
      violations.append("the archive was not encoded: \(error)")
    }
  }

  /// Brings kept bytes into a client.
  func hydrate(_ operation: JSON, _ name: String) {
    do {
      let report = try client(name).import(
        decoding: archives[operation["from"]?.string ?? ""] ?? Data(),
        for: [
          .values(of: JSON.self, options: QueryOptions(operation["queries"] ?? .object([:]))),
          .values(of: PageRun.self, options: QueryOptions(operation["queries"] ?? .object([:]))),
          .mutations(from: JSON.self, to: JSON.self),
        ],
        // In the reference they wait to be resumed.
        resuming: false
      )
      for skipped in report.skipped {
        switch skipped.reason {
        case .notNewer, .superseded, .known: continue
        default: break
        }
        violations.append("not imported: \(skipped)")
      }
    } catch {
      violations.append("the archive was not decoded: \(error)")
    }
    answer(operation, ["done": true])
  }

  private func outcome(of archive: CacheArchive) throws -> JSON {
    let texts = try keys.map { key, json in (try key.canonicalText(), json) }
    let known = Dictionary(texts, uniquingKeysWith: { $1 })
    // Type and key: no type's name has a bracket in it.
    func key(_ text: String) -> JSON {
      known[String(text.drop { $0 != "[" })] ?? .string(text)
    }
    let queries = try archive.entries.map { entry -> JSON in
      .fields([
        ("key", key(entry.key)),
        ("data", try Self.data(entry)),
        ("status", entry.error == nil ? "success" : "error"),
        ("dataUpdatedAt", Simulation.milliseconds(entry.updatedAt)),
      ])
    }
    let mutations = try archive.mutations.map { run -> JSON in
      [
        "key": key(run.key), "isPaused": true,
        "variables": try JSONDecoder().decode(JSON.self, from: run.input),
      ]
    }
    return ["queries": .array(queries), "mutations": .array(mutations)]
  }

  private static func data(_ entry: CacheArchive.Entry) throws -> JSON {
    let decoder = JSONDecoder()
    if let run = try? decoder.decode(PageRun.self, from: entry.value) { return JSON(run) }
    return try decoder.decode(JSON.self, from: entry.value)
  }
}

extension JSON: Codable {
  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    self =
      if value.decodeNil() {
        .null
      } else if let flag = try? value.decode(Bool.self) {
        .bool(flag)
      } else if let integer = try? value.decode(Int.self) {
        .int(integer)
      } else if let number = try? value.decode(Double.self) {
        .double(number)
      } else if let string = try? value.decode(String.self) {
        .string(string)
      } else if let elements = try? value.decode([JSON].self) {
        .array(elements)
      } else {
        .object(try value.decode([String: JSON].self))
      }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}
