extension CacheState {
  func liveFetches(at now: Instant) -> [Liveness.Work] {
    live.sorted().compactMap { index in
      let index = Int(index)
      guard let key = slots[index].key, let stage = slots[index].machine.stage else { return nil }
      let activity: Liveness.Work.Activity
      switch stage {
      case .running: activity = WorkWait.isWaiting(work(of: index)) ? .waitingForWork : .running
      case .waiting(let time): activity = .resting(time.distance(after: now))
      case .held(let time?): activity = .resting(time.distance(after: now))
      case .held(nil): activity = .waitingForWork
      case .paused: activity = .paused
      }
      return Liveness.Work("a fetch of \(key.key)", activity)
    }
  }

  func liveRuns(at now: Instant) -> [Liveness.Work] {
    mutations.all.compactMap { id in
      guard let index = mutations.find(id), let job = mutations.slots[index].job else { return nil }
      let activity: Liveness.Work.Activity
      switch mutations.slots[index].machine.phase {
      case .ended: return nil
      case .preparing, .running, .settling:
        let run = WorkID.run(cache: self.id, serial: id.serial, scope: job.scope)
        activity = WorkWait.isWaiting(run) ? .waitingForWork : .running
      case .queued: activity = .queued
      case .waiting(let time): activity = .resting(time.distance(after: now))
      case .saving, .paused, .stopped: activity = .paused
      }
      return Liveness.Work("a run of the mutation \(job.key.key)", activity)
    }
  }
}

extension Instant {
  fileprivate func distance(after other: Instant) -> Duration {
    .nanoseconds(max(0, nanoseconds - other.nanoseconds))
  }
}
