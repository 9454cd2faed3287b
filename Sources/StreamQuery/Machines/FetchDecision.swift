/// The answer for a caller that asks for a value, by the state of the entry.
///
/// | found \ need | `ifStale` | `ifMissing` | `ifMissingElseRevalidate` | `always` |
/// |---|---|---|---|---|
/// | fresh data | the data | the data | the data | a fetch |
/// | stale data | a fetch | the data | the data, and a refetch | a fetch |
/// | no data | a fetch | a fetch | a fetch | a fetch |
///
/// A part of a streamed value counts as no data. A part of an endless stream counts as data, which is fresh
/// while the stream delivers.
///
/// A fetch is started or, if one is in flight, joined. A caller without a fetch function joins one only if
/// that caller would have accepted cached data.
enum FetchDecision: Equatable {
  case useCached(CacheLookup, revalidates: Bool)
  case fetch
  case missingFetch
  /// The newest failure, without a fetch: see ``EntryMachine/served(_:for:_:_:_:fetchingSince:at:)``.
  case useFailure
}

extension EntryMachine {
  /// The answer for a caller that asks for a value.
  ///
  /// - Parameters:
  ///   - need: The cached data that the caller accepts.
  ///   - freshness: The caller's stale time.
  ///   - canFetch: Whether the caller or the entry has a fetch function.
  ///   - now: The time of the transaction.
  /// - Returns: The answer.
  // This is inlined, because the machine is a large value, and a call would copy it.
  @inline(__always)
  func decision(
    for need: CachePolicy,
    _ freshness: Freshness,
    canFetch: Bool,
    at now: Instant
  ) -> FetchDecision {
    guard extent != .part else {
      return Self.decisionOverPart(
        for: need,
        canFetch: canFetch,
        isNewest: isLive && !isInvalidated,
        isIdle: isIdle,
        fetchOptions.delivery
      )
    }
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

  /// The answer if the data is only a part. A caller accepts a part only from an endless stream.
  // This is not inlined, because most entries have no parts, and static, because a call would copy the
  // machine.
  @inline(never)
  private static func decisionOverPart(
    for need: CachePolicy,
    canFetch: Bool,
    isNewest: Bool,
    isIdle: Bool,
    _ delivery: Delivery
  ) -> FetchDecision {
    let takesOlder =
      switch need {
      case .ifStale, .ifStaleOrThrow, .always: false
      case .ifMissing, .ifMissingElseRevalidate: delivery == .endless
      }
    if isNewest, need != .always { return .useCached(.hit, revalidates: false) }
    guard !takesOlder else {
      let revalidates = need == .ifMissingElseRevalidate && canFetch
      return .useCached(.staleHit, revalidates: revalidates)
    }
    return canFetch || !isIdle && need != .always ? .fetch : .missingFetch
  }
}

/// The cached data that a caller accepts.
enum CachePolicy: Sendable {
  case ifStale
  /// As `ifStale`, but a caller that waits for a fetch never gets stale data, even if the fetch fails.
  case ifStaleOrThrow
  case ifMissing
  /// As `ifMissing`, and stale data is refetched in the background.
  case ifMissingElseRevalidate
  /// No cached data: the caller asks for a new answer.
  case always
}
