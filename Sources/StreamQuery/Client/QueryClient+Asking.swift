extension QueryClient {
  /// Evaluates the user code that a decision needs, then makes the turn; evaluates it again if the
  /// entry changed meanwhile (contract law 8: at most three rounds, then the last answers stand).
  nonisolated func settling<Result: Sendable>(
    _ key: EntryKey,
    _ queryPlan: QueryPlan,
    _ options: ObserverOptions?,
    isArrival: Bool = false,
    _ body: SettledTurn<Result>
  ) -> Result {
    guard options != nil else { return settling(key, queryPlan, isArrival: isArrival, body) }
    let now = cache.now(isDated: queryPlan.initialData != nil)
    let plan = ResolvedPlan(queryPlan, for: key.key, defaults: defaults, observer: options)
    return asking(key, queryPlan, plan, isArrival: isArrival, at: now, body)
  }

  /// The same without options of an observer.
  nonisolated func settling<Result: Sendable>(
    _ key: EntryKey,
    _ queryPlan: QueryPlan,
    isArrival: Bool = false,
    _ body: SettledTurn<Result>
  ) -> Result {
    // Only initial data needs a date when an observer or a fetch starts.
    let now = cache.now(isDated: queryPlan.initialData != nil)
    // Usually the entry has this very plan, and no user code is needed: one turn is enough.
    let quick = cache.turn(self, at: now) { state, turn -> QuickTurn<Result> in
      guard let index = state.find(key), let plan = state.slots[index].plan,
        plan.isMade(of: queryPlan, under: state.defaults)
      else { return .unknown(state.defaults) }
      guard let profile = plan.fixedProfile, !(isArrival && plan.asksOnSubscribe),
        !state.wantsSeed(index, plan)
      else { return .known(plan) }
      return .done(body(&state, index, plan, profile, nil, &turn))
    }
    switch quick {
    case .done(let result): return result
    case .known(let plan):
      return asking(key, queryPlan, plan, isArrival: isArrival, at: now, body)
    case .unknown(let defaults):
      let plan = ResolvedPlan(queryPlan, for: key.key, defaults: defaults)
      return asking(key, queryPlan, plan, isArrival: isArrival, at: now, body)
    }
  }

  /// Never inlined: it is the slow path.
  @inline(never)
  private nonisolated func asking<Result: Sendable>(
    _ key: EntryKey,
    _ queryPlan: QueryPlan,
    _ plan: ResolvedPlan,
    isArrival: Bool,
    at now: Now,
    _ body: SettledTurn<Result>
  ) -> Result {
    let isAsked = plan.isDynamic || isArrival && plan.asksOnSubscribe
    let isDated = queryPlan.initialData != nil
    var (seed, wantsSeed, hasSeed) = (Seed?.none, false, false)
    func ask(_: Int) -> CommitAnswer<(revision: UInt32?, profile: ObserverProfile), Result> {
      if wantsSeed, !hasSeed {
        hasSeed = true
        seed = plan.plan.initialData.flatMap(Seed.init)
        // Dynamic options are evaluated for the entry with its initial data, so it has to be made
        // first.
        if isAsked, let seed { begin(key, plan, with: seed) }
      }
      guard isAsked else {
        return .answer((nil, plan.profile { EntryFacts.empty(key, plan).info }))
      }
      let info = info(of: key, plan)
      return .answer((info.revision, plan.profile(isArrival: isArrival) { info.info }))
    }
    return commit(rounds: 3, at: now, isDated: isDated, asking: ask) {
      answer,
      isLast,
      state,
      turn -> Result? in
      let index = state.find(key)
      if !hasSeed, state.wantsSeed(index, plan) {
        wantsSeed = true
        return nil
      }
      if let revision = answer.revision, !isLast,
        index.map({ state.slots[$0].revision }) ?? 0 != revision
      {
        return nil
      }
      return body(&state, index, plan, answer.profile, seed, &turn)
    }
  }

  /// Makes an entry with its initial data, for options that ask about it.
  private nonisolated func begin(_ key: EntryKey, _ plan: ResolvedPlan, with seed: Seed) {
    turn { state, turn in
      guard !state.isShutDown else { return }
      let index = state.find(key) ?? state.entry(key, plan, &turn)
      state.seed(index, seed, &turn)
    }
  }

  /// The plan under the defaults; the entry's own plan if it was made from the same ones.
  nonisolated func resolve(
    _ key: EntryKey,
    _ plan: QueryPlan,
    _ defaults: DefaultsTable
  ) -> ResolvedPlan {
    let known = cache.read { state in state.find(key).flatMap { state.slots[$0].plan } }
    if let known, known.isMade(of: plan, under: defaults) { return known }
    return ResolvedPlan(plan, for: key.key, defaults: defaults)
  }

  private nonisolated func info(of key: EntryKey, _ plan: ResolvedPlan) -> EntryFacts {
    let now = cache.now(isDated: false)
    return cache.read { $0.facts(key, metBy: plan, at: now.moment) }
  }

  /// Evaluates the dynamic options of an entry's observers again, after the entry changed.
  nonisolated func askOptions(of entry: EntryID) {
    // The number of this evaluation in an unbroken series.
    let askRound = cache.record { state -> Int in
      guard let index = state.find(entry) else { return 0 }
      defer { state.slots[index].askRound = 0 }
      return state.slots[index].askRound
    }
    guard askRound > 0 else { return }
    typealias Answers = [(id: ConsumerID, plan: ResolvedPlan, profile: ObserverProfile)]
    func ask(_: Int) -> CommitAnswer<(revision: UInt32, answers: Answers), Void> {
      let now = cache.now(isDated: false)
      let asked = cache.read { state -> (QueryInfo, UInt32, [(ConsumerID, ResolvedPlan)])? in
        guard let index = state.find(entry), let info = state.info(index, at: now.moment)
        else { return nil }
        let dynamic = state.slots[index].consumers.compactMap { position in
          let consumer = state.consumers[Int(position)]
          return consumer.plan.flatMap { plan in
            plan.isDynamic
              ? (ConsumerID(index: position, generation: consumer.generation), plan) : nil
          }
        }
        return (info, state.slots[index].revision, dynamic)
      }
      guard let (info, revision, dynamic) = asked, !dynamic.isEmpty else { return .over(()) }
      let answers = AskRound.$current.withValue(askRound) {
        dynamic.map { ($0.0, $0.1, $0.1.profile { info }) }
      }
      return .answer((revision, answers))
    }
    commit(rounds: 3, asking: ask) { answer, isLast, state, turn -> Void? in
      turn.askRound = askRound
      guard let index = state.find(entry) else { return () }
      if state.slots[index].revision != answer.revision {
        // The next evaluation covers what the options changed themselves.
        if state.slots[index].askRound > askRound { return () }
        guard isLast else { return nil }
      }
      for (id, plan, profile) in answer.answers {
        guard let consumer = state.find(id), state.consumers[consumer].plan === plan,
          Int(state.consumers[consumer].entry) == index
        else { continue }
        state.reobserve(consumer, plan: plan, profile: profile, &turn)
      }
      return ()
    }
  }
}

/// A turn for which all user code has been evaluated.
typealias SettledTurn<Result> = (
  inout CacheState, _ index: Int?, ResolvedPlan, ObserverProfile, Seed?, inout Turn
) -> Result

/// The result of a turn that tries to do without user code.
private enum QuickTurn<Result: Sendable>: Sendable {
  case done(Result)
  /// The entry's plan matches, but user code has to be evaluated.
  case known(ResolvedPlan)
  /// The plan has to be made under these defaults.
  case unknown(DefaultsTable)
}
