#if canImport(SwiftUI)
import Foundation
import StreamQueryUI
import SwiftUI

/// An endless list: the next page is loaded when the end of the list is seen.
struct FeedView: View {
  let model: FeedModel

  var body: some View {
    List {
      ForEach(model.posts) { post in
        NavigationLink(value: AppModel.Route.person(post.author)) {
          VStack {
            QueryView(model.author(of: post)) { author in Text(author.data?.name ?? "…") }
            Text(post.text)
          }
        }
      }
      if let error = model.query.error {
        Text(error.localizedDescription)
        Button("Try again") { Task { await more() } }
      } else if model.query.isPending || model.query.hasNextPage {
        LoadingView(isPaused: model.query.isPaused)
          .task(id: model.posts.count) { await more() }
      }
    }
    .navigationTitle("Feed")
    .refreshable(model.query)
  }

  private func more() async {
    if model.query.hasNextPage {
      await model.query.fetchNextPage()
    } else if model.query.isError {
      await model.query.refetch()
    }
  }
}
#endif
