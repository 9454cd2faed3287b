#if os(Linux) && canImport(Glibc)
import Foundation
import Glibc

/// How much memory of this process is in use, by the statistics of its allocator.
enum HeapUse {
  /// Whether it is known: sanitizers have an allocator of their own.
  static var isKnown: Bool { MemorySearch.isPossible && bytes > 0 }

  /// The bytes that are in use; 0 if that is not known.
  static var bytes: Int {
    typealias Info = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
    guard let symbol = dlsym(nil, "malloc_info") else { return 0 }
    var (text, size): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
    guard let file = open_memstream(&text, &size) else { return 0 }
    // The C function of that name.
    let result = unsafeBitCast(symbol, to: Info.self)(0, file)
    fclose(file)
    defer { free(text) }
    guard result == 0, let text else { return 0 }
    // The last lines are those of all arenas together.
    let lines = String(cString: text).split(separator: "\n").suffix(9)
    func total(_ beginning: String) -> Int {
      guard let line = lines.last(where: { $0.hasPrefix(beginning) }),
        let start = line.range(of: "size=\"")?.upperBound,
        let end = line[start...].firstIndex(of: "\"")
      else { return 0 }
      return Int(line[start..<end]) ?? 0
    }
    let free = total(#"<total type="fast""#) + total(#"<total type="rest""#)
    return total(#"<system type="current""#) - free + total(#"<total type="mmap""#)
  }

  /// How many bytes are more in use after each call than before.
  ///
  /// The calls are counted in four batches, of which the least counts: what a call leaves behind is in each,
  /// and what the allocator keeps for itself is not.
  ///
  /// - Parameters:
  ///   - count: How many calls are counted, after a tenth of them that are not: what all share must
  ///     not count.
  ///   - call: A call.
  /// - Returns: The bytes.
  static func bytesPerCall(
    _ count: Int,
    _ call: (_ number: Int) async -> Void
  ) async -> Double {
    for number in 0..<(count / 10) { await call(-1 - number) }
    let batch = count / 4
    var least = Double.infinity
    for first in stride(from: 0, to: count, by: batch) {
      let before = bytes
      for number in first..<(first + batch) { await call(number) }
      least = min(least, Double(bytes - before) / Double(batch))
    }
    return least
  }
}
#endif
