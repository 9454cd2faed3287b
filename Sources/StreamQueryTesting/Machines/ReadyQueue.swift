/// The jobs that may run now, and the choice of the next one.
///
/// Without a generator the oldest job comes first. With a generator, each ready job is equally likely. The
/// last job moves to the place of the chosen one, which takes constant time; the order of the others does not
/// matter, because the next choice is random, too. Jobs *in line*, which are those of the main actor, keep
/// their order, as in a serial queue, so only the oldest of them is a candidate.
struct ReadyQueue<Job: Sendable>: Sendable {
  private var free = Line<Job>()
  private var inLine = Line<Job>()

  init() {
    free.jobs.reserveCapacity(16)
  }

  var count: Int { free.count + inLine.count }
  var isEmpty: Bool { free.isEmpty && inLine.isEmpty }

  /// The number of jobs from which the generator chooses.
  var candidateCount: Int { free.count + (inLine.isEmpty ? 0 : 1) }

  mutating func append(_ job: Job) {
    free.jobs.append(job)
  }

  /// Adds a job that never overtakes an earlier job in line.
  ///
  /// Called only with a generator.
  mutating func appendInLine(_ job: Job) {
    inLine.jobs.append(job)
  }

  /// Removes and returns a job: the oldest one, if the generator has never chosen a job.
  mutating func popFirst() -> Job? {
    free.popFirst() ?? inLine.popFirst()
  }

  /// Removes a job that the generator chooses; returns it with its position.
  mutating func popRandom(using random: inout SplitMix) -> (job: Job, index: Int)? {
    let count = candidateCount
    guard count > 0 else { return nil }
    let index = count == 1 ? 0 : random.next(below: count)
    guard index < free.count else { return inLine.popFirst().map { ($0, index) } }
    free.jobs.swapAt(free.head + index, free.jobs.count - 1)
    let job = free.jobs.removeLast()
    return (job, index)
  }
}

/// Some jobs, in the order in which they came.
private struct Line<Job: Sendable>: Sendable {
  var jobs: [Job] = []
  private(set) var head = 0

  var count: Int { jobs.count - head }
  var isEmpty: Bool { jobs.count == head }

  mutating func popFirst() -> Job? {
    guard head < jobs.count else { return nil }
    let job = jobs[head]
    head += 1
    if head == jobs.count {
      // The jobs are removed one by one, because usually there is only one, and clearing an array takes
      // longer.
      while jobs.popLast() != nil {}
      head = 0
    } else if head >= 1024, head * 2 >= jobs.count {
      // The array is shortened, so that a queue which never becomes empty does not grow for ever.
      jobs.removeSubrange(..<head)
      head = 0
    }
    return job
  }
}
