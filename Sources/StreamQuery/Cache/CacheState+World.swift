/// A `.when` condition of an observer that is being asked, because of an edge of the world.
struct Question: Hashable, Sendable {
  typealias Condition = @Sendable () async -> Bool

  let consumer: ConsumerID
  /// What it observed when it was asked: the answer is about nothing else.
  let entry: EntryID
  let cause: FetchCause
}

extension CacheState {
  /// Tells the observed and fetching entries that network or app changed, of which no fetch follows,
  /// or not yet.
  ///
  /// - Parameters:
  ///   - cause: The edge, or `nil` if network or app went away.
  ///   - turn: The turn.
  mutating func tell(of cause: FetchCause?, _ turn: inout Turn) {
    for entry in live.sorted() {
      let index = Int(entry)
      apply(slots[index].machine.worldMoved(cause, in: turn.world), index, &turn)
    }
  }

  /// Has the edge of network or app take effect on the observed and fetching entries.
  ///
  /// - Parameters:
  ///   - cause: The edge that refetches willing observers.
  ///   - turn: The turn.
  /// - Returns: Conditions that have to be asked: those of which no answer is awaited already.
  mutating func sweep(
    _ cause: FetchCause,
    _ turn: inout Turn
  ) -> [(Question, Question.Condition)] {
    var conditions: [(Question, Question.Condition)] = []
    for entry in live.sorted() {
      let index = Int(entry)
      electObserver(of: index, cause, &turn)
      apply(slots[index].machine.worldChanged(cause, in: turn.world), index, &turn)
      for position in slots[index].consumers {
        guard let condition = condition(of: cause, Int(position)) else { continue }
        let generation = consumers[Int(position)].generation
        let consumer = ConsumerID(index: position, generation: generation)
        let question = Question(consumer: consumer, entry: id(of: index), cause: cause)
        // One at a time: a network that flaps must not pile up what is slow to answer.
        if questions.updateValue(questions[question] != nil, forKey: question) == nil {
          conditions.append((question, condition))
        }
      }
    }
    return conditions
  }

  /// Lets the paused fetches that somebody awaits go on, although the sweep is held back: it may be
  /// held back for one who, by whatever way, waits for them.
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
  ///   - isWilling: The answer.
  ///   - turn: The turn.
  /// - Returns: The condition, if it has to be asked again: a refusal is no answer to an edge that came
  ///   after the question.
  mutating func answered(
    _ question: Question,
    _ isWilling: Bool,
    _ turn: inout Turn
  ) -> Question.Condition? {
    let isOutdated = questions.removeValue(forKey: question) ?? false
    guard let consumer = find(question.consumer),
      find(question.entry) == Int(consumers[consumer].entry),
      let condition = condition(of: question.cause, consumer)
    else { return nil }
    guard isWilling else {
      guard isOutdated else { return nil }
      questions[question] = false
      return condition
    }
    guard consumers[consumer].profile.freshness != .static else { return nil }
    let index = Int(consumers[consumer].entry)
    if slots[index].machine.isIdle, let plan = consumers[consumer].plan {
      self.plan(index, with: plan, &turn)
    }
    apply(slots[index].machine.requested(question.cause, in: turn.world), index, &turn)
    return nil
  }

  /// What has to be asked before an edge refetches for a consumer; `nil` if nothing has to be.
  private func condition(of cause: FetchCause, _ consumer: Int) -> Question.Condition? {
    guard consumers[consumer].profile.isEnabled else { return nil }
    return consumers[consumer].plan?.condition(of: cause)
  }
}
