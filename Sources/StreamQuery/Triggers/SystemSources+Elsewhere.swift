#if !os(Linux) && !canImport(Network)
extension StateSource {
  /// Always active or online: this platform does not tell.
  static let systemConnectivity = StateSource(constant: true)
}
#endif

#if !os(Linux) && !canImport(UIKit) && !canImport(AppKit) && !canImport(WatchKit)
extension StateSource {
  /// This platform does not tell.
  static let systemActivity = StateSource(constant: true)
}
#endif
