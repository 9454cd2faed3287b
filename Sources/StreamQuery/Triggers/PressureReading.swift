/// The kernel's report of the time that was lost because memory was short.
///
/// ```text
/// some avg10=1.53 avg60=0.87 avg300=0.29 total=5410862
/// full avg10=0.40 avg60=0.31 avg300=0.11 total=1958012
/// ```
struct PressureReading: Hashable, Sendable {
  /// The share of time, in percent, from which memory counts as short.
  static let threshold = 10.0

  /// The share of the last ten seconds, in percent, in which some tasks waited for memory.
  var some: Double
  /// The share in which all tasks waited at once; 0 if the kernel does not say.
  var full: Double

  init(some: Double, full: Double) {
    self.some = some
    self.full = full
  }

  /// Parses the content of a pressure file, such as `/proc/pressure/memory`; `nil` if it has another format.
  init?(_ text: String) {
    var shares: [Substring: Double] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split(separator: " ")
      guard let kind = words.first,
        let average = words.first(where: { $0.hasPrefix("avg10=") }),
        let share = Double(average.dropFirst(6)), (0...100).contains(share)
      else { continue }
      shares[kind] = share
    }
    guard let some = shares["some"] else { return nil }
    self.init(some: some, full: shares["full"] ?? 0)
  }

  /// The level for a cache.
  var level: MemoryPressure.Level {
    if full >= Self.threshold { return .critical }
    return some >= Self.threshold ? .warning : .normal
  }

  /// The possible paths of a process's report, the most specific one first.
  ///
  /// - Parameter groups: The content of `/proc/self/cgroup`; `nil` if there is none.
  /// - Returns: Paths.
  static func paths(of groups: String?) -> [String] {
    var paths = ["/proc/pressure/memory"]
    // In version 2 of control groups, the line of the only hierarchy has number 0 and no controllers.
    for line in (groups ?? "").split(whereSeparator: \.isNewline) where line.hasPrefix("0::/") {
      let path = line.dropFirst(4)
      paths.insert("/sys/fs/cgroup/\(path.isEmpty ? "" : "\(path)/")memory.pressure", at: 0)
    }
    return paths
  }
}
