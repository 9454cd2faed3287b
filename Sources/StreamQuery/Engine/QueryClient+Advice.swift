#if DEBUG
import Synchronization
#endif

nonisolated extension QueryClient {
  /// Returns advice about set-ups of this client that work, but will cause trouble.
  ///
  /// The advice is about what the client has done so far: ask after the first screens or requests, in a test
  /// or from a menu of a debug build. Debug builds also report the advice by themselves, each rule once in a
  /// process, when a client begins its first fetch or run; clients of a simulation do not.
  ///
  /// ```swift
  /// for advice in client.advice() { print(advice) }
  /// ```
  ///
  /// ``QueryAdvice`` lists the rules, and says for each when it applies. To ignore a rule, compare
  /// ``QueryAdvice/rule``.
  ///
  /// - Returns: The advice; empty if no rule applies.
  /// - Complexity: O(*n*) in the number of cached entries and runs.
  public nonisolated func advice() -> [QueryAdvice] {
    adviceFacts.advice + configuration.keeping.advice(for: self)
  }

  private var adviceFacts: QueryAdviceFacts {
    let found = search(.all) { state, index, _ in
      state.slots[index].query.flatMap { query in
        query.canFetch ? state.slots[index].key.map { ($0, query) } : nil
      }
    }.compactMap(\.item)
    let unkept = durableRuns == nil ? cache.read { $0.mutations.keptMutations } : []
    let defaults = self.defaults
    // The facts are made outside the lock, because the text of a key may be user code.
    return QueryAdviceFacts(
      isServer: configuration.isOfServer,
      limit: configuration.limit,
      defaults: defaults.client.options,
      queries: found.map { key, query in
        let own = query.resolved.definition.options
        return (key.key.firstPart, own.over(defaults.options(for: key.key)))
      },
      unkeptMutations: unkept.map(\.key.firstPart)
    )
  }

  /// Reports the advice when the first fetch or run begins; in debug builds.
  @inline(__always)
  func adviseAtStart() {
    #if DEBUG
    guard configuration.adviceLog != nil, !isAdvised.exchange(true, ordering: .relaxed) else {
      return
    }
    TaskLocals.none {
      let advice = self.configuration.keeping.advice(for: self, isEarly: true)
      for advice in self.adviceFacts.advice + advice { self.report(.advice(advice)) }
    }
    #endif
  }
}

extension AnyQueryKey {
  /// The text of the key's first part: it names a kind of data.
  ///
  /// The other parts may identify a person: reports are printed, and outlive that person's account.
  fileprivate var firstPart: String { storage.parts.first?.logText() ?? description }
}

extension QueryClient.Configuration {
  /// Whether the configuration is ``server``, for a client that serves many requests.
  ///
  /// A client for one request should have no ``readShards``.
  fileprivate var isOfServer: Bool { preset.gcTime != nil && readShards != nil }
}

extension MutationTable {
  /// The keys of the durable mutations that have runs.
  fileprivate var keptMutations: [EntryKey] {
    all.compactMap { id in
      find(id).flatMap { slots[$0].machine.runOptions.isDurable ? slots[$0].job?.key : nil }
    }
  }
}
