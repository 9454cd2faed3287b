#if canImport(SwiftUI)
import Foundation
import StreamQuery
import SwiftUI

#if canImport(AppKit)
import AppKit
#endif

/// The app: open `Playgrounds` in Xcode, choose the scheme `SampleApp`, and run it on a Mac.
///
/// The app has its own server. For a real server, run `swift run --package-path Playgrounds Tour --serve`.
/// Set the variable `SERVER` in the environment of the scheme to the address that this command prints.
///
/// An app for another system has the same files, without the code for a Mac below.
@main
struct SampleApp: App {
  @State private var app: AppModel

  init() {
    #if canImport(AppKit)
    // A program that is no bundle has no place in the Dock by itself, and gets no keyboard.
    NSApplication.shared.setActivationPolicy(.regular)
    #endif
    let address = ProcessInfo.processInfo.environment["SERVER"].flatMap { URL(string: $0) }
    let api: any API = address.map { RemoteServer(url: $0) } ?? LocalServer()
    _app = State(wrappedValue: AppModel(api: api, client: QueryClient()))
  }

  var body: some Scene {
    WindowGroup { AppView(app: app) }
  }
}
#endif
