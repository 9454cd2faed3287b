// Prints links that lead nowhere: site ARCHIVE BASE REPOSITORY TEXT…
//
// At first it mends those of the compiler: it leaves out the page of an extension whose members are all on pages by hand,
// such as that of `AsyncSequence`, but the members still name it above their titles. Such names are removed.
//
// ARCHIVE is a documentation archive as a site has it, BASE the path that it has there, as `/StreamQuery/`. Links between
// its pages, to headings, images and files of the site are checked, and its navigator. REPOSITORY is the address under
// which this checkout is published: links to its files are checked too, but not addresses elsewhere. Each TEXT is a
// file in Markdown, whose links to other files and to headings are checked.
import Foundation

struct Page {
  /// Where a link may lead, without `#`.
  var anchors: Set<String> = []
  /// The names by which the page refers to something, those of them that its text refers to, and what they stand for.
  var used: Set<String> = []
  var linked: Set<String> = []
  var references: [String: [String: Any]] = [:]
}

struct Failure: Error, CustomStringConvertible {
  var description: String
}

let arguments = CommandLine.arguments
guard arguments.count >= 4 else {
  throw Failure(description: "site ARCHIVE BASE REPOSITORY TEXT…")
}
let archive = URL(filePath: arguments[1], directoryHint: .isDirectory)
let base = arguments[2]
let repository = arguments[3]
let texts = Array(arguments.dropFirst(4))

var pages: [String: Page] = [:]
var problems: [String] = []
var counts = (links: 0, anchors: 0, images: 0, elsewhere: 0)

func object(at url: URL) throws -> [String: Any] {
  let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
  guard let object = json as? [String: Any] else {
    throw Failure(description: "no object: \(url.path)")
  }
  return object
}

func isInArchive(_ path: some StringProtocol) -> Bool {
  FileManager.default.fileExists(atPath: archive.appending(path: String(path)).path)
}

/// The files below a folder of the archive, by their paths in it.
func files(below folder: String, extension suffix: String) -> [String] {
  let root = archive.appending(path: folder).path
  let paths = try? FileManager.default.subpathsOfDirectory(atPath: root)
  return (paths ?? []).filter { $0.hasSuffix(suffix) }.sorted().map { "\(folder)/\($0)" }
}

// MARK: Pages

/// The headings that the site itself gives to parts of a page.
let headings = [
  "topicSections": "topics", "seeAlsoSections": "see-also",
  "relationshipsSections": "relationships",
  "defaultImplementationsSections": "default-implementations",
]

func read(_ value: Any, into page: inout Page) {
  if let values = value as? [Any] {
    for value in values { read(value, into: &page) }
  } else if let object = value as? [String: Any] {
    if let anchor = object["anchor"] as? String { page.anchors.insert(anchor) }
    if let name = object["identifier"] as? String {
      page.used.insert(name)
      if object["type"] as? String == "reference" { page.linked.insert(name) }
    }
    if let names = object["identifiers"] as? [String] { page.used.formUnion(names) }
    for case (let key, let value) in object where key != "references" { read(value, into: &page) }
  }
}

func page(at path: String) throws -> Page {
  var page = Page()
  let object = try object(at: archive.appending(path: path))
  read(object, into: &page)
  for (key, anchor) in headings where object[key] != nil { page.anchors.insert(anchor) }
  page.references = object["references"] as? [String: [String: Any]] ?? [:]
  return page
}

/// A problem with a link of the site, or nil.
func problem(ofLink link: String) -> String? {
  let parts = link.split(separator: "#", maxSplits: 1).map(String.init)
  guard let path = parts.first?.removingPercentEncoding, path.hasPrefix("/"),
    let target = pages[path.lowercased()]
  else { return "there is no page" }
  guard parts.count == 2, let anchor = parts[1].removingPercentEncoding else { return nil }
  counts.anchors += 1
  return target.anchors.contains(anchor) ? nil : "the page has no such heading"
}

/// A problem with an address elsewhere, or nil.
func problem(ofAddress address: String) -> String? {
  guard let url = URL(string: address), let scheme = url.scheme else { return "it is no address" }
  guard ["http", "https", "mailto"].contains(scheme) else { return "nobody opens \(scheme):" }
  for kind in ["blob", "tree"] where address.hasPrefix("\(repository)/\(kind)/main/") {
    let path = address.dropFirst("\(repository)/\(kind)/main/".count).prefix { $0 != "#" }
    return FileManager.default.fileExists(atPath: String(path)) ? nil : "there is no such file"
  }
  counts.elsewhere += 1
  return nil
}

func problem(of reference: [String: Any]) -> String? {
  switch reference["type"] as? String {
  case "topic", "section":
    counts.links += 1
    return problem(ofLink: reference["url"] as? String ?? "")
  case "link":
    let url = reference["url"] as? String ?? ""
    if !url.hasPrefix("/") { return problem(ofAddress: url) }
    counts.links += 1
    return problem(ofLink: url)
  case "image", "video":
    counts.images += 1
    let urls = (reference["variants"] as? [[String: Any]] ?? []).compactMap { $0["url"] as? String }
    if urls.isEmpty { return "it has no file" }
    return urls.first { !isInArchive($0) }.map { "there is no \($0)" }
  case "download": return isInArchive(reference["url"] as? String ?? "-") ? nil : "there is no file"
  // Such as a protocol of the standard library, whose name the site shows without a link.
  default: return nil
  }
}

/// Removes the pages above a page that do not exist.
func mend(_ path: String, _ page: inout Page) throws {
  let url = archive.appending(path: "data\(path).json")
  var object = try object(at: url)
  guard var hierarchy = object["hierarchy"] as? [String: Any],
    let paths = hierarchy["paths"] as? [[String]]
  else { return }
  let missing = Set(paths.joined()).filter { name in
    guard let url = page.references[name]?["url"] as? String else { return false }
    return url.hasPrefix("/") && pages[url.lowercased()] == nil
  }
  // What the text refers to is not mended.
  if missing.isEmpty || !missing.isDisjoint(with: page.linked) { return }
  for name in missing { page.references[name] = nil }
  hierarchy["paths"] = paths.map { path in path.filter { !missing.contains($0) } }
  object["hierarchy"] = hierarchy
  object["references"] = page.references
  let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
  try JSONSerialization.data(withJSONObject: object, options: options).write(to: url)
}

for path in files(below: "data", extension: ".json") {
  pages["/" + path.dropFirst("data/".count).dropLast(".json".count)] = try page(at: path)
}
for (path, var page) in pages {
  try mend(path, &page)
  pages[path] = page
}
for (path, page) in pages {
  for (name, reference) in page.references {
    guard let problem = problem(of: reference) else { continue }
    problems.append("\(path): \(reference["url"] as? String ?? name): \(problem)")
  }
  for name in page.linked where page.references[name]?["type"] as? String == "unresolvable" {
    problems.append("\(path): \(name): it is not resolved")
  }
  for name in page.used where name.hasPrefix("doc://") && page.references[name] == nil {
    problems.append("\(path): \(name): the page does not say where that is")
  }
  // A server without rules of its own answers with this file.
  if !isInArchive("\(path)/index.html") { problems.append("\(path): there is no index.html") }
}

// MARK: The navigator and the files around the pages

func checkNavigator(_ value: Any) {
  if let values = value as? [Any] {
    values.forEach(checkNavigator)
  } else if let object = value as? [String: Any] {
    if let path = object["path"] as? String, let problem = problem(ofLink: path) {
      problems.append("navigator: \(path): \(problem)")
    }
    object.values.forEach(checkNavigator)
  }
}

checkNavigator(try object(at: archive.appending(path: "index/index.json")))
for page in files(below: "", extension: ".html") {
  let text = try String(contentsOf: archive.appending(path: page), encoding: .utf8)
  let folder = page.prefix(through: page.lastIndex(of: "/") ?? page.startIndex)
  for match in text.matches(of: /(?:src|href|url)="?=?([^"' ;]+)"/) {
    let link = match.1
    if link.contains("://") || link.hasPrefix("data:") || link.hasPrefix("#") { continue }
    let path = link.hasPrefix("/") ? link.dropFirst(base.count) : folder + link
    if !link.hasPrefix("/") || link.hasPrefix(base), isInArchive(path) { continue }
    problems.append("\(path): \(link): there is no such file below \(base)")
  }
}

// MARK: Texts in Markdown

/// The names that GitHub gives to the headings of a text, and its links, without those in samples.
func read(text path: String) throws -> (anchors: Set<String>, links: [String]) {
  var anchors: Set<String> = []
  var links: [String] = []
  var isCode = false
  for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
    if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
    if isCode { continue }
    if let heading = line.wholeMatch(of: /#+ +(.*)/)?.1 {
      let kept = heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
      anchors.insert(kept.replacing(" ", with: "-"))
    }
    let plain = line.replacing(/`[^`]*`/, with: "")
    links += plain.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
    if let link = plain.wholeMatch(of: /\[[^\]]+\]: (\S+).*/)?.1 { links.append(String(link)) }
  }
  return (anchors, links)
}

for text in texts {
  let (own, links) = try read(text: text)
  for link in links {
    counts.links += 1
    var found: String?
    if link.contains(":") {
      found = problem(ofAddress: link)
    } else {
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let folder = NSString(string: text).deletingLastPathComponent
      let file = String(parts[0])
      let path = file.isEmpty ? text : folder.isEmpty ? file : "\(folder)/\(file)"
      if !FileManager.default.fileExists(atPath: path) {
        found = "there is no such file"
      } else if parts.count == 2, path.hasSuffix(".md") {
        counts.anchors += 1
        let anchors = path == text ? own : try read(text: path).anchors
        if !anchors.contains(String(parts[1])) { found = "it has no such heading" }
      }
    }
    if let problem = found { problems.append("\(text): \(link): \(problem)") }
  }
}

// MARK: What was found

for problem in problems.sorted() { print(problem) }
if problems.isEmpty {
  print("\(pages.count) pages, \(counts.links) links, \(counts.anchors) of them to headings,")
  print("\(counts.images) images; \(counts.elsewhere) addresses elsewhere were not visited")
}
exit(problems.isEmpty ? 0 : 1)
