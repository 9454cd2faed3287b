extension EntrySlot {
  /// What the entry remembers for its callers.
  var servingRecord: ServingRecord {
    get {
      rareData.isEmpty || rareData[0].serving.isEmpty ? ServingRecord() : rareData[0].serving[0]
    }
    set {
      if newValue.isEmpty {
        if !rareData.isEmpty, !rareData[0].serving.isEmpty { rareData[0].serving = [] }
      } else {
        self.serving = [newValue]
      }
    }
  }

  /// Whether something is remembered for callers.
  @inline(__always)
  var hasServingRecord: Bool { !rareData.isEmpty && !rareData[0].serving.isEmpty }

  /// Whether the newest failure is still the answer for those who ask: the entry stays for so long,
  /// whatever its retention is.
  func isFailureKept(at now: Instant) -> Bool {
    guard hasServingRecord, let end = rareData[0].serving[0].failureEnd else { return false }
    return now < end
  }

  /// When the first of the waiting callers gets stale data.
  @inline(__always)
  var patienceEnd: Instant? {
    hasServingRecord ? rareData[0].serving[0].patienceEnd : nil
  }

  /// Whether something has to be remembered for callers.
  @inline(__always)
  var remembersServing: Bool {
    query?.serving != nil || hasServingRecord
  }
}
