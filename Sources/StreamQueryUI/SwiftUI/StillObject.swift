#if canImport(SwiftUI)
#if canImport(Combine)
internal import Combine
#endif
internal import SwiftUI

#if canImport(Combine)
/// An object that SwiftUI makes once for each identity of a view, and that never causes drawing.
///
/// It is the object of a `@StateObject`, whose closure runs once for each place of a view value in the
/// hierarchy. The initial value of a `@State` is made with the view value, so that all places would share it.
/// `Observation` tells views of changes, so the publisher is empty, and none is stored.
protocol StillObject: ObservableObject where ObjectWillChangePublisher == Empty<Void, Never> {}

extension StillObject {
  var objectWillChange: Empty<Void, Never> { Empty(completeImmediately: false) }
}
#else
/// An object of a view, in tests beside the stand-in for SwiftUI.
protocol StillObject: ObservableObject {}
#endif

extension LiveHolder: nonisolated StillObject {}
extension Presence: nonisolated StillObject {}
extension SharedContext: nonisolated StillObject {}
#endif
