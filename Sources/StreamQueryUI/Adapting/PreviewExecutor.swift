internal import Synchronization

/// An executor that runs its jobs only when it is asked to, so that a preview changes only then.
final class PreviewExecutor: TaskExecutor {
  private let waiting = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    waiting.withLock { $0.append(job) }
  }

  /// Runs all waiting jobs, and the jobs that these enqueue.
  func run() {
    while let job = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
