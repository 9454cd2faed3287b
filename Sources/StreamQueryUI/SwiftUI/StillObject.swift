#if canImport(SwiftUI)
#if canImport(Combine)
internal import Combine
#endif
internal import SwiftUI

#if canImport(Combine)
/// An object that SwiftUI makes once for each identity of a view, and that never makes SwiftUI draw the view.
///
/// It is stored in a `@StateObject`, which makes an object for each place of a view value in the hierarchy.
/// The initial value of a `@State` is made with the view value, so all places would share one object.
/// `Observation` tells views of changes, so the publisher never publishes, and need not be stored.
protocol StillObject: ObservableObject where ObjectWillChangePublisher == Empty<Void, Never> {}

extension StillObject {
  var objectWillChange: Empty<Void, Never> { Empty(completeImmediately: false) }
}
#else
/// An object of a view, for tests with the stand-in for SwiftUI, which has no Combine.
protocol StillObject: ObservableObject {}
#endif

extension LiveHolder: nonisolated StillObject {}
extension Presence: nonisolated StillObject {}
extension SharedContext: nonisolated StillObject {}
#endif
