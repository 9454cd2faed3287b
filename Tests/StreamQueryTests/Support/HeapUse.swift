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
  /// The calls are counted in batches, until one leaves less than the bound: what a call leaves behind is in
  /// each batch. The allocator's caches are not; they grow by up to three megabytes, and then no more.
  ///
  /// - Parameters:
  ///   - bound: The bytes that each call may leave.
  ///   - call: A call.
  /// - Returns: The bytes of the best of at most 40 batches.
  static func bytesPerCall(
    bound: Double,
    _ call: (_ number: Int) async -> Void
  ) async -> Double {
    let batch = 1_000
    var (number, least) = (0, Double.infinity)
    // What all calls share must not count.
    while number < 400 { await step() }
    for _ in 0..<40 where least > bound {
      let before = bytes
      for _ in 0..<batch { await step() }
      least = min(least, Double(bytes - before) / Double(batch))
    }
    return least

    func step() async {
      await call(number)
      number += 1
    }
  }
}
#endif
