import StreamQuery

/// The values of infinite queries.
typealias PageRun = Pages<JSON, JSON>

/// What is shown of any query: operators turn runs of pages into it, and page flags stay readable.
extension JSON: PageSequenceValue {
  typealias PageParam = JSON
  var pages: [JSON] { self["pages"]?.array ?? [] }

  init(_ run: PageRun) {
    self = ["pages": .array(run.pages), "pageParams": .array(run.params)]
  }

  /// The run of pages that a scenario writes out.
  var run: PageRun? {
    PageRun(self["pages"]?.array ?? [], params: self["pageParams"]?.array ?? [])
  }
}

/// A closure of the reference that a scenario declares: makes something of data, or throws.
struct ScenarioSelect: Sendable {
  let json: JSON

  init?(_ json: JSON?) {
    guard let json, json != .null else { return nil }
    self.json = json
  }

  func callAsFunction(_ data: JSON) throws -> JSON {
    if let message = json["throw"]?.string { throw ScenarioError(message: message) }
    var value = data
    if let field = json["field"]?.string { value = value[field] ?? .null }
    if let field = json["count"]?.string {
      value = value[field] ?? .null
      value = .int(value.array?.count ?? value.string?.count ?? 0)
    } else if json["count"] != nil {
      value = .int(value.array?.count ?? value.string?.count ?? 0)
    }
    if json["pageCount"] != nil { value = .int(value.pages.count) }
    if let unwanted = json["throwWhen"], unwanted == value {
      throw ScenarioError(message: json["message"]?.string ?? "")
    }
    if let field = json["wrap"]?.string { value = [field: value] }
    return value
  }
}

/// What a scenario's `nextPage` or `previousPage` says.
struct ScenarioPageParam: Sendable {
  let json: JSON

  init?(_ json: JSON?) {
    guard let json, json != .null else { return nil }
    self.json = json
  }

  func next(_ run: PageRun) -> JSON? { param(page: run.lastPage, param: run.lastParam) }
  func previous(_ run: PageRun) -> JSON? { param(page: run.firstPage, param: run.firstParam) }

  private func param(page: JSON, param: JSON) -> JSON? {
    if let field = json["field"]?.string {
      return page[field].flatMap { $0 == .null ? nil : $0 }
    }
    guard let step = json["add"]?.int, let present = param.int else { return nil }
    let next = present &+ step
    if let limit = json["max"]?.int, next > limit { return nil }
    if let limit = json["min"]?.int, next < limit { return nil }
    return .int(next)
  }
}

extension JSON {
  /// What an updater of a scenario makes of a value; `nil` bails out.
  func applied(to old: JSON?) -> JSON? {
    if let value = self["value"] { return value }
    if let step = self["increment"]?.int { return old?.int.map { .int($0 &+ step) } }
    if let element = self["append"] { return .array((old?.array ?? []) + [element]) }
    if let fields = self["merge"] { return (old ?? .object([:])).merging(fields) }
    if let count = self["keepFirstPages"]?.int { return old?.run.map { JSON($0.prefix(count)) } }
    return nil
  }

  /// These fields, replaced by those of another object.
  func merging(_ other: JSON) -> JSON {
    .object((object ?? [:]).merging(other.object ?? [:]) { $1 })
  }

  /// The same with what stands for a mutation's variables and context filled in.
  ///
  /// - Returns: The value; `nil` for what the context lacks, which an object leaves out.
  func filled(variables: JSON, context: JSON?) -> JSON? {
    switch self {
    case "$variables":
      return variables
    case .array(let elements):
      return .array(elements.map { $0.filled(variables: variables, context: context) ?? .null })
    case .object(let fields):
      if fields.count == 1, let field = fields["$context"]?.string { return context?[field] }
      return .object(
        fields.compactMapValues { $0.filled(variables: variables, context: context) }
      )
    case .null, .bool, .int, .double, .string:
      return self
    }
  }
}
