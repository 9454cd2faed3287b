internal import StreamQueryShared

/// Reads the answers of scripts.
///
/// The scripts check values that others may have written, so an unexpected answer does not come from a Redis
/// server. These functions return `nil` for such an answer.
enum RedisAnswers {
  /// Whether a script found the lease valid, and has made its change.
  ///
  /// - Parameter reply: The reply.
  /// - Returns: Whether the script made its change.
  static func isDone(_ reply: RedisReply) -> Bool? {
    switch reply.elements?.first?.text {
    case "done": true
    case "lost": false
    default: nil
    }
  }

  /// The version that a script returned; the inner optional is `nil` if the lease is lost.
  ///
  /// - Parameter reply: The reply.
  /// - Returns: The version.
  static func version(_ reply: RedisReply) -> SharedVersion?? {
    guard let elements = reply.elements, let done = isDone(reply) else { return nil }
    guard done else { return .some(nil) }
    guard elements.count == 2, let version = elements[1].text.flatMap({ SharedVersion(redis: $0) })
    else { return nil }
    return .some(version)
  }

  /// The result of the script `begin`: the entry or the lease of a key, or the machine that fetches it.
  ///
  /// - Parameters:
  ///   - reply: The reply.
  ///   - key: The key.
  /// - Returns: The entry, or the machine that fetches it.
  static func beginning(_ reply: RedisReply, of key: SharedKey) -> SharedBeginning? {
    guard let elements = reply.elements, let kind = elements.first?.text else { return nil }
    switch kind {
    case "entry":
      return entry(elements.dropFirst()).map { .entry($0) }
    case "leads":
      guard elements.count >= 3, let token = elements[1].number, let name = elements[2].text
      else { return nil }
      let lease = SharedLease(key: key, token: token, history: SharedHistory(name))
      return .leads(lease, entry: entry(elements.dropFirst(3)))
    case "follows":
      guard elements.count >= 4, let position = position(elements[1], elements[2]),
        let left = elements[3].number.flatMap({ Int64(exactly: $0) })
      else { return nil }
      return .follows(
        position: position,
        remaining: .milliseconds(left),
        entry: entry(elements.dropFirst(4))
      )
    default:
      return nil
    }
  }

  private static func entry(_ elements: ArraySlice<RedisReply>) -> SharedEntry? {
    let elements = Array(elements)
    guard elements.count == 5,
      let version = elements[0].text.flatMap({ SharedVersion(redis: $0) }),
      let age = elements[1].number.flatMap({ Int64(exactly: $0) }),
      let form = elements[2].bytes, let bytes = elements[3].bytes, let requested = elements[4].text
    else { return nil }
    // If the encoding's name is not valid text, no reader knows it, and the entry counts as missing.
    let value = SharedValue(bytes, form: String(decoding: form, as: UTF8.self))
    return SharedEntry(
      value: value,
      version: version,
      age: .microseconds(age),
      requestAge: UInt64(requested).flatMap { Int64(exactly: $0) }.map { .microseconds($0) }
    )
  }

  private static func position(_ history: RedisReply, _ version: RedisReply) -> SharedPosition? {
    guard let name = history.text, let version = version.text.flatMap({ SharedVersion(redis: $0) })
    else { return nil }
    return SharedPosition(history: SharedHistory(name), version: version)
  }

  /// The messages of the log after a position.
  ///
  /// Each message names the message before it. If a message is missing, damaged, or written by other
  /// code, the result is a gap.
  ///
  /// - Parameters:
  ///   - reply: The reply.
  ///   - position: The position; `nil` means the end of the log.
  /// - Returns: The changes.
  static func changes(_ reply: RedisReply, after position: SharedPosition?) -> SharedChanges? {
    guard let elements = reply.elements, elements.count >= 3, let kind = elements[0].text,
      let end = Self.position(elements[1], elements[2])
    else { return nil }
    let gap = SharedChanges(messages: [], position: end, isGap: true)
    if kind == "gap" { return gap }
    guard kind == "changes", elements.count == 4, let items = elements[3].elements else {
      return nil
    }
    guard let position, !items.isEmpty else { return SharedChanges(messages: [], position: end) }
    var messages: [SharedMessage] = []
    var known = position.version
    for item in items {
      guard let (message, previous) = Self.message(item), message.version > known,
        messages.isEmpty ? previous <= known : previous == known
      else { return gap }
      messages.append(message)
      known = message.version
    }
    return SharedChanges(
      messages: messages,
      position: SharedPosition(history: end.history, version: known),
      hasMore: known < end.version
    )
  }

  private static func message(_ item: RedisReply) -> (SharedMessage, previous: SharedVersion)? {
    guard let parts = item.elements, parts.count == 2,
      let version = parts[0].text.flatMap({ SharedVersion(redis: $0) }),
      let fields = parts[1].elements, fields.count.isMultiple(of: 2)
    else { return nil }
    var texts: [String: [String]] = [:]
    for index in stride(from: 0, to: fields.count, by: 2) {
      guard let name = fields[index].text, let text = fields[index + 1].text else { return nil }
      texts[name, default: []].append(text)
    }
    guard let previous = texts["p"]?.first.flatMap({ SharedVersion(redis: $0) }) else { return nil }
    let key = texts["key"]?.first
    let kind: SharedMessage.Kind? =
      switch texts["k"]?.first {
      case "c": key.map { .committed(key: $0) }
      case "w": key.map { .written(key: $0) }
      case "a": key.map { .abandoned(key: $0, failure: texts["f"]?.first) }
      case "i": .invalidated((texts["m"] ?? []).map { SharedMark($0) })
      default: nil
      }
    return kind.map { (SharedMessage(version, $0), previous) }
  }
}

extension SharedVersion {
  /// Reads the id of a stream's entry.
  ///
  /// - Parameter text: The id.
  init?(redis text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let milliseconds = UInt64(parts[0]), let sequence = UInt64(parts[1])
    else { return nil }
    self.init(milliseconds: milliseconds, sequence: sequence)
  }

  /// The id of a stream's entry.
  var redis: String { "\(milliseconds)-\(sequence)" }
}
