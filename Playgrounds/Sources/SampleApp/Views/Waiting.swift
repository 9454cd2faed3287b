#if canImport(SwiftUI)
import SwiftUI

/// A banner above all screens while there is no network.
struct OfflineBanner: View {
  let app: AppModel

  var body: some View {
    if !app.isOnline { Text("You are offline") }
  }
}

/// A view in place of data that has not come yet.
struct LoadingView: View {
  let isPaused: Bool

  var body: some View {
    if isPaused { Text("Waiting for the network") } else { ProgressView() }
  }
}
#endif
