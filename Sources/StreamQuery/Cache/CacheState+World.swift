extension CacheState {
  /// Tells the observed and fetching entries that the network or the app changed, with no fetch
  /// following, or not yet.
  ///
  /// - Parameters:
  ///   - cause: The edge, or `nil` if the network or the app went away.
  ///   - turn: The turn.
  mutating func tell(of cause: FetchCause?, _ turn: inout Turn) {
    for entry in live.sorted() {
      let index = Int(entry)
      apply(slots[index].machine.worldMoved(cause, in: turn.world), index, &turn)
    }
  }

  /// Applies an edge of the network or the app to the observed and fetching entries.
  ///
  /// - Parameters:
  ///   - cause: The edge that refetches willing observers.
  ///   - turn: The turn.
  /// - Returns: The conditions to evaluate: those that are not already being evaluated.
  mutating func sweep(
    _ cause: FetchCause,
    _ turn: inout Turn
  ) -> [Question.Asking] {
    var askings: [Question.Asking] = []
    for entry in live.sorted() {
      let index = Int(entry)
      electObserver(of: index, cause, &turn)
      apply(slots[index].machine.worldChanged(cause, in: turn.world), index, &turn)
      var present: QueryInfo?
      for position in slots[index].consumers {
        guard let condition = condition(of: cause, Int(position)),
          let info = present ?? info(index, at: turn.world.now.moment)
        else { continue }
        present = info
        let generation = consumers[Int(position)].generation
        let consumer = ConsumerID(index: position, generation: generation)
        let question = Question(consumer: consumer, entry: id(of: index), cause: cause)
        // One at a time: a flapping network must not pile up slow conditions.
        if questions.updateValue(questions[question] != nil, forKey: question) == nil {
          askings.append(Question.Asking(question: question, condition: condition, info: info))
        }
      }
    }
    return askings
  }

  /// Resumes the paused fetches that callers await, although the sweep is delayed: it may be
  /// delayed for a run that, in whatever way, waits for them.
  mutating func resumeAwaitedFetches(_ turn: inout Turn) {
    for index in live.sorted().lazy.map(Int.init)
    where slots[index].machine.isPaused && !slots[index].waiters.isEmpty {
      apply(slots[index].machine.worldChanged(nil, in: turn.world), index, &turn)
    }
  }

  /// A condition was answered.
  ///
  /// - Parameters:
  ///   - question: Which one.
  ///   - policy: The answer.
  ///   - turn: The turn.
  /// - Returns: What has to be evaluated again: a refusal does not answer an edge that came after
  ///   the question.
  mutating func answered(
    _ question: Question,
    _ policy: RefetchPolicy,
    _ turn: inout Turn
  ) -> Question.Asking? {
    let isOutdated = questions.removeValue(forKey: question) ?? false
    guard let consumer = find(question.consumer),
      find(question.entry) == Int(consumers[consumer].entry),
      let condition = condition(of: question.cause, consumer)
    else { return nil }
    let index = Int(consumers[consumer].entry)
    let (profile, now) = (consumers[consumer].profile, turn.world.now.moment)
    guard slots[index].machine.isWilling(policy, profile, at: now) else {
      guard isOutdated, let info = info(index, at: now) else { return nil }
      questions[question] = false
      return Question.Asking(question: question, condition: condition, info: info)
    }
    if slots[index].machine.isIdle, let plan = consumers[consumer].plan {
      self.plan(index, with: plan, &turn)
    }
    apply(slots[index].machine.requested(question.cause, in: turn.world), index, &turn)
    return nil
  }

  /// The condition to evaluate before an edge refetches for a consumer; `nil` if there is none.
  private func condition(
    of cause: FetchCause,
    _ consumer: Int
  ) -> EventRefetchPolicy.Condition? {
    guard consumers[consumer].profile.isEnabled else { return nil }
    return consumers[consumer].plan?.condition(of: cause)
  }
}
