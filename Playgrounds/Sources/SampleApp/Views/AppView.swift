#if canImport(SwiftUI)
import StreamQueryUI
import SwiftUI

/// The root of the app.
///
/// ```
/// @main struct SampleApp: App {
///   @State private var app = AppModel(api: LocalServer(), client: QueryClient())
///
///   var body: some Scene {
///     WindowGroup { AppView(app: app) }
///   }
/// }
/// ```
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
