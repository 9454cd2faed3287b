#if canImport(SwiftUI)
import StreamQueryUI
import SwiftUI

/// The root of the app.
struct AppView: View {
  @Bindable var app: AppModel

  var body: some View {
    VStack {
      OfflineBanner(app: app)
      NavigationStack(path: $app.path) {
        HomeView(app: app, search: app.search)
          .navigationDestination(for: AppModel.Route.self) { route in
            switch route {
            case .person(let id): DetailScreen(id: id, app: app)
            }
          }
      }
    }
    .queryClient(app.client)
  }
}
#endif
