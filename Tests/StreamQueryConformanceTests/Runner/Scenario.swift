import StreamQuery

/// One scenario file: what an application does, and the trace that the reference showed.
struct Scenario: Sendable {
  let name: String
  let json: JSON

  init(parsing text: String) throws {
    json = try JSON(parsing: text)
    guard json["ops"]?.array != nil, json["until"]?.int != nil else {
      throw ScenarioError(message: "a scenario without operations or end")
    }
    name = json["name"]?.string ?? "unnamed"
  }

  init(name: String, json: JSON) {
    self.name = name
    self.json = json
  }

  var tags: Set<String> { Set((json["tags"]?.array ?? []).compactMap(\.string)) }
  var operations: [JSON] { json["ops"]?.array ?? [] }
  var until: Int { json["until"]?.int ?? 0 }
  var expected: JSON { json["expected"] ?? .object([:]) }

  /// All that is performed, without what is said of it and expected of it.
  var performance: JSON {
    .object((json.object ?? [:]).filter { !["about", "tags", "expected"].contains($0.key) })
  }

  /// Every key that occurs, as it is written.
  var keys: [JSON] {
    var keys: [JSON] = []
    for operation in operations {
      operation.visitObjects { json in
        keys += [json["key"], json["snapshotOf"]].compactMap { $0?.array.map(JSON.array) }
      }
    }
    return keys
  }

  /// The keys whose values are runs of pages.
  var pagedKeys: [JSON] {
    var keys: [JSON] = []
    var prefixes: [AnyQueryKey] = []
    var pagedIDs: Set<String> = []
    func isPaged(_ options: JSON) -> Bool {
      options["infinite"]?.bool == true || options["initialPageParam"] != nil
        || options["op"]?.string?.contains("Infinite") == true
    }
    for operation in operations {
      operation.visitObjects { json in
        if isPaged(json), let key = json["key"] { keys.append(key) }
      }
      if operation["op"] == "setQueryDefaults", let options = operation["options"],
        isPaged(options), let prefix = operation["key"]
      {
        prefixes.append(AnyQueryKey(prefix))
      }
      let id = operation["id"]?.string ?? ""
      if isPaged(operation) || operation["set"].map(isPaged) == true { pagedIDs.insert(id) }
      if pagedIDs.contains(id), let key = operation["set"]?["key"] { keys.append(key) }
    }
    let inherited = self.keys.filter { key in
      prefixes.contains { $0.isPrefix(of: AnyQueryKey(key)) }
    }
    return keys + inherited
  }
}

extension JSON {
  /// Shows every object in a value, itself included.
  func visitObjects(_ body: (JSON) -> Void) {
    switch self {
    case .array(let elements): elements.forEach { $0.visitObjects(body) }
    case .object(let fields):
      body(self)
      for field in fields.sorted(by: { $0.key < $1.key }) { field.value.visitObjects(body) }
    case .null, .bool, .int, .double, .string: break
    }
  }
}
