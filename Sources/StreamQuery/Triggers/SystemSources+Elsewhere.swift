#if os(watchOS) || (!os(Linux) && !canImport(Network))
extension StateSource {
  /// Always online: this platform does not tell.
  ///
  /// A watch lets apps use its path monitor for sound and calls only. For all others it says "offline" for ever:
  /// [TN3135](https://developer.apple.com/documentation/technotes/tn3135-low-level-networking-on-watchos).
  static let systemConnectivity = StateSource(constant: true)
}
#endif

#if !os(Linux) && !canImport(UIKit) && !canImport(AppKit) && !canImport(WatchKit)
extension StateSource {
  /// This platform does not tell.
  static let systemActivity = StateSource(constant: true)
}
#endif
