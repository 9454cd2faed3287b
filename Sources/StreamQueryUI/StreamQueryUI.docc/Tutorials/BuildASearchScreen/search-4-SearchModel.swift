import Observation
import StreamQuery
import StreamQueryUI

@MainActor @Observable
final class SearchModel {
  var text = "" {
    didSet {
      if text != oldValue {
        people.update(query: .people(named: text, from: api))
      }
    }
  }

  let people: ObservedQuery<[User]>
  private let api: any API

  init(api: any API, client: QueryClient) {
    self.api = api
    people = ObservedQuery(
      .people(named: "", from: api),
      client: client,
      keepsPreviousData: true
    )
  }

  /// Whether there is an answer, and nobody in it.
  var hasNoMatch: Bool {
    people.data?.isEmpty == true && !people.isPlaceholderData
  }
}
