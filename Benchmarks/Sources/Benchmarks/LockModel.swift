import Foundation

/// What threads get of locks that they all want again and again: a closed queue with a server for each
/// lock.
///
/// Each thread works for some time without a lock, then holds one of them, any with equal probability.
/// By mean value analysis, which is exact if both times are exponential; the times of a hit vary less
/// than that, so that it expects longer waits than there are. A processor for each thread is assumed.
struct LockModel {
  /// How long a lock is held, in nanoseconds, with what it takes to pass it on.
  var held: Double
  /// How long a thread works between, in nanoseconds.
  var work: Double
  /// How many locks there are.
  var locks = 1

  struct Outcome {
    /// Of all threads together, in a second.
    var throughput: Double
    /// How much of the time a lock is held.
    var utilisation: Double
    /// How long a thread waits until it has the lock, in nanoseconds.
    var wait: Double
  }

  func outcome(threads: Int) -> Outcome {
    var queue = 0.0
    var response = held
    var rate = 0.0
    for count in 1...max(1, threads) {
      response = held * (1 + queue / Double(locks))
      rate = Double(count) / (response + work)
      queue = rate * response
    }
    return Outcome(
      throughput: rate * 1e9,
      utilisation: rate * held / Double(locks),
      wait: response - held
    )
  }

  /// The work between two hits at which the locks are in use for a share of the time.
  static func work(
    forUtilisation share: Double,
    held: Double,
    locks: Int = 1,
    threads: Int
  ) -> Double {
    var (low, high) = (0.0, held * Double(threads) * 100)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      let outcome = LockModel(held: held, work: middle, locks: locks).outcome(threads: threads)
      if outcome.utilisation > share { low = middle } else { high = middle }
    }
    return high
  }

  /// How long a lock is held at most, if two threads that do nothing else get so much of it.
  ///
  /// - Parameters:
  ///   - each: What one thread takes for a call, alone, in nanoseconds.
  ///   - together: What two threads take for a call, together, in nanoseconds.
  ///   - locks: How many locks there are.
  /// - Returns: The time for which the model has that throughput; never more than the call takes.
  static func held(each: Double, together: Double, locks: Int = 1) -> Double {
    var (low, high) = (0.0, locks == 1 ? together : min(each, 2 * together))
    for _ in 0..<60 {
      let middle = (low + high) / 2
      let model = LockModel(held: middle, work: max(0, each - middle), locks: locks)
      if 1e9 / model.outcome(threads: 2).throughput < together {
        low = middle
      } else {
        high = middle
      }
    }
    return high
  }
}
