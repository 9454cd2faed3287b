import Foundation

/// A model of threads that want the same locks again and again: a closed queueing network with a server for
/// each lock.
///
/// Each thread works for some time without a lock, then holds one of them, any with equal probability.
/// The model uses mean value analysis, which is exact if both times are exponential. The times of a hit vary
/// less, so the model expects longer waits than there are. It assumes a processor for each thread.
struct LockModel {
  /// How long a lock is held, in nanoseconds, including the time to pass it on.
  var held: Double
  /// How long a thread works between two uses of a lock, in nanoseconds.
  var work: Double
  /// How many locks there are.
  var locks = 1

  struct Outcome {
    /// The number of uses in a second, of all threads together.
    var throughput: Double
    /// The share of the time for which a lock is held.
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

  /// The longest time for which a lock can be held, computed from the times of two threads that only call.
  ///
  /// - Parameters:
  ///   - each: The time of a call by one thread alone, in nanoseconds.
  ///   - together: The time per call of two threads together, in nanoseconds.
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
