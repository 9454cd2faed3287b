// Prints the public declarations of symbol graphs, one on a line and sorted: public-api GRAPHS MODULE…
//
// A line has the module, the path of the declaration and the declaration itself, with the constraints of the extension
// that it stands in. Conformances have lines of their own. A requirement and its default are two lines.
import Foundation

struct Graph: Decodable {
  struct Symbol: Decodable {
    struct Kind: Decodable { var identifier: String }
    struct Identifier: Decodable { var precise: String }
    struct Fragment: Decodable { var spelling: String }
    struct Extension: Decodable { var constraints: [Constraint]? }
    struct Constraint: Decodable { var kind: String, lhs: String, rhs: String }

    var kind: Kind
    var identifier: Identifier
    var pathComponents: [String]
    var declarationFragments: [Fragment]?
    var swiftExtension: Extension?
  }

  struct Relationship: Decodable {
    var kind: String, source: String, target: String, targetFallback: String?
  }

  var symbols: [Symbol]
  var relationships: [Relationship]
}

let folder = URL(filePath: CommandLine.arguments[1])
for module in CommandLine.arguments.dropFirst(2) {
  var lines: [String] = []
  var paths: [String: String] = [:]
  var conformances: Set<[String]> = []
  let graphs = try FileManager.default.contentsOfDirectory(
    at: folder.appending(path: module),
    includingPropertiesForKeys: nil
  )
  for file in graphs where file.lastPathComponent.hasSuffix(".symbols.json") {
    let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file))
    for symbol in graph.symbols {
      let path = symbol.pathComponents.joined(separator: ".")
      paths[symbol.identifier.precise] = path
      // The blocks around the members of another module's type.
      if symbol.kind.identifier == "swift.extension" { continue }
      let declaration = (symbol.declarationFragments ?? []).map(\.spelling).joined()
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let constraints = (symbol.swiftExtension?.constraints ?? []).map { constraint in
        "\(constraint.lhs) \(constraint.kind == "sameType" ? "==" : ":") \(constraint.rhs)"
      }
      let condition =
        constraints.isEmpty ? "" : "  where " + constraints.sorted().joined(separator: ", ")
      lines.append("\(module) \(path)  \(declaration)\(condition)")
    }
    for relationship in graph.relationships where relationship.kind == "conformsTo" {
      conformances.insert([relationship.source, relationship.targetFallback ?? relationship.target])
    }
  }
  for conformance in conformances {
    // Nearly every type has these.
    guard let path = paths[conformance[0]],
      !["Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"].contains(conformance[1])
    else { continue }
    lines.append("\(module) \(path): \(paths[conformance[1]] ?? conformance[1])")
  }
  for line in lines.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) { print(line) }
}
