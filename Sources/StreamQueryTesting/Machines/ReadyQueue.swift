/// The jobs that may run now, and the choice among them.
///
/// Without a generator the oldest comes first. With one each pick is uniform among all that are
/// ready, by swapping the last into the hole: constant time, and the order that remains does not
/// matter because the next pick is random as well.
struct ReadyQueue<Job: Sendable>: Sendable {
  private var jobs: [Job] = []
  private var head = 0

  init() {
    jobs.reserveCapacity(16)
  }

  var count: Int { jobs.count - head }
  var isEmpty: Bool { jobs.count == head }

  mutating func append(_ job: Job) {
    jobs.append(job)
  }

  /// The oldest job.
  mutating func popFirst() -> Job? {
    guard head < jobs.count else { return nil }
    let job = jobs[head]
    head += 1
    if head == jobs.count {
      // One by one: most often it is one, and clearing an array takes longer than that.
      while jobs.popLast() != nil {}
      head = 0
    } else if head >= 1024, head * 2 >= jobs.count {
      // A queue that never runs empty must not grow for ever.
      jobs.removeSubrange(..<head)
      head = 0
    }
    return job
  }

  /// A job chosen by the generator, and where it stood.
  mutating func popRandom(using random: inout SplitMix) -> (job: Job, index: Int)? {
    let count = self.count
    guard count > 0 else { return nil }
    let index = count == 1 ? 0 : random.next(below: count)
    jobs.swapAt(head + index, jobs.count - 1)
    let job = jobs.removeLast()
    return (job, index)
  }
}
