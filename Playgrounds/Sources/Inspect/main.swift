// The sample app without its views, used by somebody who does not tire, and an inspector that shows what happens.
//
// `swift run --package-path Playgrounds Inspect` prints a link for your browser, and runs until you end it.
// `… Inspect --stories FOLDER` writes the stories that are checked in under Integrations/Inspector/Stories.
import Foundation
import RecordedStories
import StreamQuery
import StreamQueryInspector
import StreamQueryTesting

if let flag = CommandLine.arguments.firstIndex(of: "--stories") {
  guard let folder = CommandLine.arguments.dropFirst(flag + 1).first else {
    print("usage: Inspect [--stories FOLDER]")
    exit(2)
  }
  try RecordedStory.write(to: URL(filePath: folder, directoryHint: .isDirectory))
  exit(0)
}

var configuration = QueryClient.Configuration()
configuration.record = .last(10_000, values: .encodable)
configuration.maxConcurrentFetches = 4
let online = ManualSignal(true)
configuration.connectivity = Connectivity { online }
let client = QueryClient(configuration: configuration)

// Written at once, also into a pipe.
Inspector(client, allows: [.actions, .values], named: "Sample app") { line in
  FileHandle.standardOutput.write(Data("StreamQuery: \(line)\n".utf8))
}
.start()
await LiveStory(client: client, online: online).play()
