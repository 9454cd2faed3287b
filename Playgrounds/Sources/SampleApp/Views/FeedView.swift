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
        Button("Try again") { Task { await model.tryAgain() } }
      } else if model.query.isPending {
        LoadingView(isPaused: model.query.isPaused)
      } else if model.query.hasNextPage {
        LoadingView(isPaused: model.query.isPaused)
          .fetchesNextPage(of: model.query)
      }
    }
    .navigationTitle("Feed")
    .refreshable(model.query)
  }
}
#endif
