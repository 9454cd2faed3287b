import Observation
import StreamQuery
import StreamQueryUI

/// Finds people while the user types.
@MainActor @Observable
final class SearchModel {
  var text = "" {
    didSet {
      if text != oldValue { people.update(query: .people(named: text, from: api)) }
    }
  }

  /// The people who match the text; until they are there, the matches of the former text.
  let people: ObservedQuery<[User]>
  private let api: any API

  init(api: any API, client: QueryClient) {
    self.api = api
    people = ObservedQuery(.people(named: "", from: api), client: client, keepsPreviousData: true)
  }

  /// Whether the server has answered that nobody matches the text.
  var hasNoMatch: Bool { people.data?.isEmpty == true && !people.isPlaceholderData }
}
