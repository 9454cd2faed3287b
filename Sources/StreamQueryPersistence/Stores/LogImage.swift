/// The bytes of a log that has only the present records; a file with these bytes replaces the
/// former file.
enum LogImage {
  /// The maximum length of a frame's body with several records, so that a damaged place destroys only some of
  /// them.
  static let frameLimit = 16 * 1024

  /// Returns the bytes of the file; `nil` if a record is longer than a frame may be.
  static func of(_ records: [StoreRecord], _ format: LogFormat) -> [UInt8]? {
    var bytes = format.header()
    bytes.reserveCapacity(records.reduce(bytes.count + 1024) { $0 + 16 + LogFormat.cost(of: $1) })
    var rest = records[...]
    while !rest.isEmpty {
      var size = 0
      let chunk = rest.prefix { record in
        defer { size += LogFormat.cost(of: record) }
        return size == 0 || size + LogFormat.cost(of: record) <= frameLimit
      }
      guard format.append(puts: chunk, to: &bytes, whichBeginAt: 0) != nil else { return nil }
      rest = rest.dropFirst(chunk.count)
    }
    return bytes
  }
}
