#if canImport(SwiftUI)
import SwiftUI

/// Above all screens while there is no network.
struct OfflineBanner: View {
  let app: AppModel

  var body: some View {
    if !app.isOnline { Text("You are offline") }
  }
}

/// In place of what is not there yet.
struct LoadingView: View {
  let isPaused: Bool

  var body: some View {
    if isPaused { Text("Waiting for the network") } else { ProgressView() }
  }
}
#endif
