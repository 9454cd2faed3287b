#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A pipe that wakes a thread from waiting for sockets.
final class Wakeup: Sendable {
  /// The end on which the thread waits; `-1` if the system gave no pipe.
  let descriptor: Int32
  private let writing: Int32

  /// Creates the pipe.
  init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
    }
    descriptor = ends[0]
    writing = ends[1]
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if writing >= 0 { close(writing) }
  }

  /// Wakes the thread.
  func wake() {
    var byte: UInt8 = 1
    // If the pipe is full, the bytes in it wake the thread, so that this one can be lost.
    _ = write(writing, &byte, 1)
  }

  /// Empties the pipe after a wake-up.
  func drain() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(descriptor, &bytes, bytes.count) > 0 {}
  }
}
