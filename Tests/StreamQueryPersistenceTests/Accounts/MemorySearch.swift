#if os(Linux) && canImport(Glibc)
import Foundation
import Glibc

/// Searches everything that this process could read or show, and the files of a directory.
///
/// The text that is searched for is known to it only with all bits turned, so that it does not find
/// itself.
struct MemorySearch {
  private let turned: [UInt8]

  /// Prepares a search.
  ///
  /// - Parameter turned: The bytes of the text, each with all bits turned.
  init(turned: [UInt8]) {
    self.turned = turned
  }

  /// What the environment of a process must say so that freed memory is overwritten at once.
  ///
  /// Otherwise what was freed could be found until somebody else gets it.
  static let environment = [
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.perturb=90"
  ]

  /// Whether freed memory can be overwritten: sanitizers keep it as it was.
  static var isPossible: Bool {
    let sanitizers: [String] = ["__asan_init", "__tsan_init", "__lsan_init"]
    return sanitizers.allSatisfy { dlsym(nil, $0) == nil }
  }

  /// How often the text is in the writable memory of this process.
  func countInMemory() -> Int {
    guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else {
      return -1
    }
    var count = 0
    for line in maps.split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 1, fields[1].hasPrefix("rw") else { continue }
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard ends.count == 2, let start = UnsafeRawPointer(bitPattern: ends[0]) else { continue }
      count += self.count(in: UnsafeRawBufferPointer(start: start, count: Int(ends[1] - ends[0])))
    }
    return count
  }

  /// How often the text is in the files of a directory, their names included.
  func count(in directory: String) -> Int {
    let files = FileManager.default.enumerator(atPath: directory)?.allObjects ?? []
    return files.reduce(0) { count, file in
      let path = "\(directory)/\(file)"
      let bytes = FileManager.default.contents(atPath: path) ?? Data()
      return count + Array(path.utf8).withUnsafeBytes(self.count)
        + bytes.withUnsafeBytes(self.count)
    }
  }

  private func count(in bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.count >= turned.count, let base = bytes.baseAddress else { return 0 }
    let first = Int32(~turned[0])
    var (count, place) = (0, base)
    let end = base + (bytes.count - turned.count)
    while place <= end, let found = memchr(place, first, end - place + 1) {
      let candidate = UnsafeRawPointer(found)
      var isEqual = true
      for offset in turned.indices
      where ~turned[offset] != candidate.load(fromByteOffset: offset, as: UInt8.self) {
        isEqual = false
        break
      }
      if isEqual { count += 1 }
      place = candidate + 1
    }
    return count
  }
}
#endif
