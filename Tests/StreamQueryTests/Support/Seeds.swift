import Foundation

/// How many seeds a fuzz tries.
///
/// A few, and so many times as many as `STREAMQUERY_SEEDS` says. `.ci/run` tries ten times as many.
enum Seeds {
  /// `STREAMQUERY_SEEDS`; 1 without it.
  static let factor =
    max(1, ProcessInfo.processInfo.environment["STREAMQUERY_SEEDS"].flatMap(UInt64.init) ?? 1)

  /// The seeds from 0, of which there are so many where nobody asks for more.
  static func few(_ count: UInt64) -> Range<UInt64> { 0..<count * factor }

  /// How often something is done: all times where somebody asks for more seeds, else a few.
  static func times(_ all: Int, orElse few: Int) -> Int { factor > 1 ? all : few }
}
