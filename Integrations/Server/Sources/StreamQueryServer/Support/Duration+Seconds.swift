extension Duration {
  /// The duration in seconds, for logs and metrics.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }

  /// The duration in nanoseconds, limited to the range of `Int64`.
  package var inNanoseconds: Int64 {
    let (whole, isTooLong) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflows) = whole.addingReportingOverflow(components.attoseconds / 1_000_000_000)
    return isTooLong || overflows ? (components.seconds < 0 ? .min : .max) : sum
  }
}
