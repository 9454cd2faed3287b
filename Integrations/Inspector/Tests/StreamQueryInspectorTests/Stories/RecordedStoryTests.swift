import Foundation
import StreamQuery
import Testing

@testable import RecordedStories

/// The stories that are checked in are those that the code plays.
struct RecordedStoryTests {
  private var folder: URL {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Stories", directoryHint: .isDirectory).standardized
  }

  @Test(arguments: RecordedStory.all.indices)
  func aStoryIsWhatIsCheckedIn(_ index: Int) throws {
    let story = RecordedStory.all[index]
    let kept = try Data(contentsOf: folder.appending(path: "\(story.name).json"))
    let isSame = try story.file == kept
    #expect(
      isSame,
      "record it anew: swift run --package-path Playgrounds Inspect --stories Integrations/Inspector/Stories"
    )
  }

  private struct Title: Decodable {
    var file: String
    var title: String
  }

  @Test func theIndexOfThePageNamesAllStories() throws {
    let index = try Data(contentsOf: folder.appending(path: "index.json"))
    let titles = try JSONDecoder().decode([Title].self, from: index)
    #expect(titles.map(\.file) == RecordedStory.all.map { "\($0.name).json" })
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(names) == Set(titles.map(\.file) + ["index.json"]))
  }

  @Test(arguments: RecordedStory.all.indices)
  func aStoryIsWholeAndHasValues(_ index: Int) throws {
    let record = RecordedStory.all[index].play()
    #expect(record.firstNumber == 1 && record.lostCount == 0)
    #expect(record.events.map(\.number) == Array(1...record.events.count))
    #expect(record.events.map(\.time) == record.events.map(\.time).sorted())
    #expect((10...2_000).contains(record.events.count) && !record.values.isEmpty)
  }

  @Test func noRunOutlivesTheProcessThatWasKilled() throws {
    let story = try #require(RecordedStory.all.first { $0.name == "outbox-across-a-kill" })
    var open: Set<Int> = []
    var openAtTheKill: Set<Int>?
    for event in story.play().events {
      switch event.kind {
      case .run(.started, let run): open.insert(run)
      case .run(.succeeded, let run), .run(.failed, let run), .run(.cancelled, let run):
        open.remove(run)
      case .trigger: openAtTheKill = open
      default: break
      }
    }
    #expect(openAtTheKill == [] && open.isEmpty)
  }
}
