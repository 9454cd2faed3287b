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

  /// Every key of a query that occurs, as it is written.
  var keys: [JSON] {
    var keys: [JSON] = []
    for operation in operations {
      for part in [operation, operation["set"] ?? .null] {
        if let key = part["key"] { keys.append(key) }
        keys += (part["queries"]?.array ?? []).compactMap { $0["key"] }
      }
      for callback in (operation["callbacks"]?.object ?? [:]).values {
        keys += (callback["do"]?.array ?? []).compactMap { $0["key"] }
      }
    }
    return keys
  }

  /// The keys whose values are runs of pages.
  var pagedKeys: [JSON] {
    var keys: [JSON] = []
    var pagedIDs: Set<String> = []
    func take(_ options: JSON) {
      guard let key = options["key"] else { return }
      let isPaged =
        options["infinite"]?.bool == true || options["initialPageParam"] != nil
        || options["op"]?.string?.contains("Infinite") == true
      if isPaged { keys.append(key) }
    }
    for operation in operations {
      take(operation)
      (operation["queries"]?.array ?? []).forEach(take)
      let id = operation["id"]?.string ?? ""
      if operation["infinite"]?.bool == true { pagedIDs.insert(id) }
      if pagedIDs.contains(id), let key = operation["set"]?["key"] { keys.append(key) }
    }
    return keys
  }
}
