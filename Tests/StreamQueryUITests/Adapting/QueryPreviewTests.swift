import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

@MainActor
struct QueryPreviewTests: ObservedSuite {
  private struct Broken: Error {}

  @Test("each call puts a query into its state, whatever the state was, and no other query")
  func otherStates() {
    run { _, _ in
      let (shown, other) = (query("shown"), query("other"))
      let preview = QueryPreview {
        $0.loading(shown)
        $0.loading(other)
      }
      // A preview leaves its tasks to the process.
      defer {
        preview.client.shutDown()
        preview.executor.run()
      }
      let client = preview.client
      func state(_ query: Query<String>) -> String {
        let info = client.diagnostics(.query(query)).first
        return info.map { "\($0.status) \($0.fetchStatus)" } ?? "none"
      }
      var states = [state(shown)]
      preview.failure(Broken(), for: shown)
      states.append(state(shown))
      preview.loading(shown)
      states.append(state(shown))
      preview.paused(shown)
      states.append(state(shown))
      preview.loading(shown)
      states.append(state(shown))
      preview.data("Ada", for: shown)
      preview.failure(Broken(), for: shown)
      states.append(state(shown))
      expectEqual(
        states,
        [
          "pending fetching", "error idle", "pending fetching", "pending paused",
          "pending fetching", "error idle",
        ]
      )
      expectEqual(client.data(for: shown), "Ada")
      expectEqual(state(other), "pending fetching")
    }
  }

  @Test("a state that no view shows is not dropped")
  func statesStay() {
    run { _, _ in
      let preview = QueryPreview { $0.data("Ada", for: query("shown").gcTime(.zero)) }
      defer {
        preview.client.shutDown()
        preview.executor.run()
      }
      let kept = preview.client.defaultOptions(for: ["shown"]).gcTime ?? .zero
      #expect(kept > .seconds(100 * 366 * 86_400 as Int64))
      expectEqual(preview.client.data(for: "shown" as QueryKey<String>), "Ada")
    }
  }
}
