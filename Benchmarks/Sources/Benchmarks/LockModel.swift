import Foundation

/// What threads get of one lock that they all want again and again: a closed queue with one server.
///
/// Each thread works for some time without the lock, then holds it. By mean value analysis, which is
/// exact if both times are exponential; the times of a hit vary less than that, so that it expects
/// longer waits than there are. A processor for each thread is assumed.
struct LockModel {
  /// How long the lock is held, in nanoseconds, with what it takes to pass it on.
  var held: Double
  /// How long a thread works between, in nanoseconds.
  var work: Double

  struct Outcome {
    /// Of all threads together, in a second.
    var throughput: Double
    /// How much of the time the lock is held.
    var utilisation: Double
    /// How long a thread waits until it has the lock, in nanoseconds.
    var wait: Double
  }

  func outcome(threads: Int) -> Outcome {
    var queue = 0.0
    var response = held
    var rate = 0.0
    for count in 1...max(1, threads) {
      response = held * (1 + queue)
      rate = Double(count) / (response + work)
      queue = rate * response
    }
    return Outcome(throughput: rate * 1e9, utilisation: rate * held, wait: response - held)
  }

  /// The work between two hits at which the lock is in use for a share of the time.
  static func work(forUtilisation share: Double, held: Double, threads: Int) -> Double {
    var (low, high) = (0.0, held * Double(threads) * 100)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      let outcome = LockModel(held: held, work: middle).outcome(threads: threads)
      if outcome.utilisation > share { low = middle } else { high = middle }
    }
    return high
  }

  /// How long the lock is held at most, if two threads that do nothing else get so much of it.
  ///
  /// - Parameters:
  ///   - each: What one thread takes for a call, alone, in nanoseconds.
  ///   - together: What two threads take for a call, together, in nanoseconds.
  /// - Returns: The time for which the model has that throughput.
  static func held(each: Double, together: Double) -> Double {
    var (low, high) = (0.0, together)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      let model = LockModel(held: middle, work: max(0, each - middle))
      if 1e9 / model.outcome(threads: 2).throughput < together {
        low = middle
      } else {
        high = middle
      }
    }
    return high
  }
}
