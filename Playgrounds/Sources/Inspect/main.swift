// The sample app without its views, with a simulated user and an inspector.
//
// `swift run --package-path Playgrounds Inspect` prints a link for your browser, and runs until you end it.
// `… Inspect --stories FOLDER` writes the stories that are checked in under Integrations/Inspector/Stories.
// `… Inspect --driven` is for tests of the page: it keeps a short record, and starts a `Driver`.
import Foundation
import RecordedStories
import StreamQuery
import StreamQueryInspector
import StreamQueryTesting

if let flag = CommandLine.arguments.firstIndex(of: "--stories") {
  guard let folder = CommandLine.arguments.dropFirst(flag + 1).first else {
    print("usage: Inspect [--stories FOLDER | --driven]")
    exit(2)
  }
  try RecordedStory.write(to: URL(filePath: folder, directoryHint: .isDirectory))
  exit(0)
}

var configuration = QueryClient.Configuration()
let isDriven = CommandLine.arguments.contains("--driven")
configuration.record = .last(isDriven ? 1_000 : 10_000, values: .encodable)
configuration.maxConcurrentFetches = 4
let online = ManualSignal(true)
configuration.connectivity = Connectivity { online }
let client = QueryClient(configuration: configuration)

if isDriven { Driver(client: client).start() }
Inspector(client, allows: [.actions, .values], named: "Sample app") { say("StreamQuery: \($0)") }
  .start()
await LiveStory(client: client, online: online, isDriven: isDriven).play()
