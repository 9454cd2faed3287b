/// The places of the newest values of all keys in a log.
struct LogIndex: Equatable {
  /// The places of a value and of its frame, from the beginning of the file.
  struct Location: Equatable {
    var value: Range<Int>
    var frame: Range<Int>
  }

  private(set) var locations: [String: Location] = [:]
  /// The number of bytes that these records need in a log, without the headers of the file and its frames.
  private(set) var liveBytes = 0

  mutating func apply(_ changes: [LogFormat.Change], of frame: Range<Int>) {
    for change in changes {
      let old: Location?
      if let value = change.value {
        old = locations.updateValue(Location(value: value, frame: frame), forKey: change.key)
        liveBytes += Self.cost(key: change.key, value: value)
      } else {
        old = locations.removeValue(forKey: change.key)
      }
      if let old { liveBytes -= Self.cost(key: change.key, value: old.value) }
    }
  }

  mutating func reserve(_ count: Int) { locations.reserveCapacity(count) }

  private static func cost(key: String, value: Range<Int>) -> Int {
    8 + key.utf8.count + value.count
  }
}
