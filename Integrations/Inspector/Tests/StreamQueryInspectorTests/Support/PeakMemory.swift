import Foundation

/// The most memory that this process has had so far, in bytes.
func peakMemory() throws -> Int {
  #if canImport(Darwin)
  var usage = rusage()
  getrusage(RUSAGE_SELF, &usage)
  return usage.ru_maxrss
  #else
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let kilobytes = status.firstMatch(of: #/VmHWM:\s*(\d+) kB/#).flatMap { Int($0.output.1) }
  return (kilobytes ?? 0) * 1_024
  #endif
}
