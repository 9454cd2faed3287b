#if os(Linux)
#if canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Reads the kernel's report of memory pressure.
enum PressureFile {
  /// Returns a reader of the most specific report that can be read; `nil` if no report can be read.
  static func readable() -> (@Sendable () -> String?)? {
    for path in PressureReading.paths(of: content(of: "/proc/self/cgroup"))
    where content(of: path) != nil {
      return { content(of: path) }
    }
    return nil
  }

  /// The content of a small file.
  private static func content(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
#endif
