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

  /// When the first of the waiting callers gets stale data.
  @inline(__always)
  var patienceEnd: Instant? {
    rareData.isEmpty || rareData[0].serving.isEmpty ? nil : rareData[0].serving[0].patienceEnd
  }

  /// Whether something has to be remembered for callers.
  @inline(__always)
  var remembersServing: Bool {
    query?.serving != nil || !rareData.isEmpty && !rareData[0].serving.isEmpty
  }
}
