/// What a caller that asks for a value gets of what it finds.
///
/// | found \ need | `ifStale` | `ifMissing` | `ifMissingElseRevalidate` | `always` |
/// |---|---|---|---|---|
/// | fresh data | the data | the data | the data | a fetch |
/// | stale data | a fetch | the data | the data, and a refetch | a fetch |
/// | no data | a fetch | a fetch | a fetch | a fetch |
///
/// A part of a streamed value counts as no data, but that of an endless stream as data, which is fresh
/// while the stream delivers.
///
/// A fetch is started or, if one is in flight, joined. Without a way to fetch, one in flight is
/// still joined, but only by a caller that would have accepted cached data.
enum FetchDecision: Equatable {
  case useCached(CacheLookup, revalidates: Bool)
  case fetch
  case missingFetch
  /// The newest failure, without a fetch: see ``EntryMachine/served(_:for:_:_:_:fetchingSince:at:)``.
  case useFailure
}

extension EntryMachine {
  /// What a caller that asks for a value gets.
  ///
  /// - Parameters:
  ///   - need: Which data it accepts.
  ///   - freshness: When data is stale for it.
  ///   - canFetch: Whether it or the entry knows how to fetch.
  ///   - now: The time of the transaction.
  /// - Returns: What it gets.
  // Inlined: the machine is a large value, and a call would copy it.
  @inline(__always)
  func decision(
    for need: FetchNeed,
    _ freshness: Freshness,
    canFetch: Bool,
    at now: Instant
  ) -> FetchDecision {
    guard extent != .part else { return decisionOverPart(for: need, canFetch: canFetch) }
    let isStale = isStale(freshness, at: now)
    let accepts =
      switch need {
      case .ifStale, .ifStaleOrThrow: !isStale
      case .ifMissing, .ifMissingElseRevalidate: hasData
      case .always: false
      }
    guard !accepts else {
      let revalidates = need == .ifMissingElseRevalidate && isStale && canFetch
      return .useCached(isStale ? .staleHit : .hit, revalidates: revalidates)
    }
    return canFetch || !isIdle && need != .always ? .fetch : .missingFetch
  }

  /// The same if the data is a part: only of an endless stream is that an answer.
  // Never inlined: most entries have no parts.
  @inline(never)
  private func decisionOverPart(for need: FetchNeed, canFetch: Bool) -> FetchDecision {
    let isNewest = isLive && !isInvalidated
    let takesOlder =
      switch need {
      case .ifStale, .ifStaleOrThrow, .always: false
      case .ifMissing, .ifMissingElseRevalidate: fetchOptions.delivery == .endless
      }
    if isNewest, need != .always { return .useCached(.hit, revalidates: false) }
    guard !takesOlder else {
      let revalidates = need == .ifMissingElseRevalidate && canFetch
      return .useCached(.staleHit, revalidates: revalidates)
    }
    return canFetch || !isIdle && need != .always ? .fetch : .missingFetch
  }
}

/// Which cached data a caller accepts that asks for a value.
enum FetchNeed: Sendable {
  case ifStale
  /// As `ifStale`, and nothing is accepted instead of the fetch's answer.
  case ifStaleOrThrow
  case ifMissing
  /// As `ifMissing`, and stale data is refetched in the background.
  case ifMissingElseRevalidate
  /// None: it asks for a new answer.
  case always
}
