import Observation
import StreamQuery

/// The state that all screens share, and the path of the open screens.
@MainActor @Observable
final class AppModel {
  /// A screen that is pushed onto the path.
  enum Route: Hashable {
    case person(User.ID)
  }

  var path: [Route] = []
  private(set) var isOnline = true

  let client: QueryClient
  let api: any API
  let feed: FeedModel
  let search: SearchModel

  @ObservationIgnored private var listening: Task<Void, Never>?

  init(api: any API, client: QueryClient, connectivity: Connectivity = .platformDefault) {
    self.api = api
    self.client = client
    feed = FeedModel(api: api, client: client)
    search = SearchModel(api: api, client: client)
    listening = Task { [weak self] in
      for await isOnline in connectivity.states() { self?.isOnline = isOnline }
    }
  }

  deinit { listening?.cancel() }
}
