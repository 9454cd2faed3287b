extension Duration {
  /// The duration in seconds, for people and backends that count in them.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }

  /// The duration in nanoseconds; a longer one is the longest that fits.
  package var inNanoseconds: Int64 {
    let (whole, isTooLong) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflows) = whole.addingReportingOverflow(components.attoseconds / 1_000_000_000)
    return isTooLong || overflows ? (components.seconds < 0 ? .min : .max) : sum
  }
}
