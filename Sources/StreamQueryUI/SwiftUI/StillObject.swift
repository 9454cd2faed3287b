#if canImport(SwiftUI)
#if canImport(Combine)
internal import Combine
#endif
internal import SwiftUI

#if canImport(Combine)
/// An object of which SwiftUI makes one for each identity of a view, and which never asks to be drawn.
///
/// It is the object of a `@StateObject`, whose closure runs once for each place at which a view value
/// stands. The initial value of a `@State` is made with the view value: all places of that value share
/// it. What views read is told by Observation, so the publisher says nothing, and none is kept.
protocol StillObject: ObservableObject where ObjectWillChangePublisher == Empty<Void, Never> {}

extension StillObject {
  var objectWillChange: Empty<Void, Never> { Empty(completeImmediately: false) }
}
#else
/// As above, beside the stand-in for SwiftUI.
protocol StillObject: ObservableObject {}
#endif

extension LiveHolder: nonisolated StillObject {}
extension Presence: nonisolated StillObject {}
extension SharedContext: nonisolated StillObject {}
#endif
