import Dispatch
import Foundation

/// Measures all cases, or the ones that the command line names; `--counted` only counts, and `--servers`
/// compares caches of servers.
///
/// The main function is synchronous, because valgrind cannot run an asynchronous one.
@main
enum Main {
  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    let isCounted = arguments.contains("--counted")
    let output = option("--output", &arguments)
    let runs = option("--runs", &arguments).flatMap { Int($0) } ?? 1
    if arguments.contains("--hit-ratios") {
      HitRatios.run(writingTo: option("--traces", &arguments))
      return
    }
    let wanted = arguments.filter { !$0.hasPrefix("--") }
    if arguments.contains("--servers") {
      Task.detached {
        await ServerReport.run(wanted, rounds: runs == 1 ? 20 : runs, writingTo: output)
        exit(0)
      }
      dispatchMain()
    }
    if isCounted {
      for item in CountedCases.run(wanted) {
        print(item.id, item.iterations, String(format: "%.2f", item.allocations))
      }
      return
    }
    Task.detached {
      await measure(wanted, runs: runs, output)
      exit(0)
    }
    dispatchMain()
  }

  private static func option(_ name: String, _ arguments: inout [String]) -> String? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else {
      return nil
    }
    let value = arguments[index + 1]
    arguments.removeSubrange(index...(index + 1))
    return value
  }

  nonisolated private static func measure(
    _ wanted: [String],
    runs: Int,
    _ output: String?
  ) async {
    Report.printHeader()
    let suite = Suite(wanted: wanted)
    for run in 1...max(1, runs) {
      suite.prints = run == max(1, runs)
      await measure(suite)
    }
    guard let output else { return }
    // The cases run on the main actor, as views appear there; allocations are counted for each thread.
    let counted = await MainActor.run { CountedCases.run([]) }
    let document = Report.Document(
      toolchain: Report.toolchain,
      rows: suite.rows,
      allocations: Dictionary(uniqueKeysWithValues: counted.map { ($0.id, $0.allocations) }),
      instructions: Report.instructions(recordedIn: output + "/../guard.txt")
    )
    do {
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
      try Report.write(document, to: output + "/results.json")
      let tables = Report.markdown(suite.rows) + "\n" + Report.markdown(counts: document)
      try tables.write(
        toFile: output + "/results.md",
        atomically: true,
        encoding: .utf8
      )
      let growth = GrowthPlot(
        suite.rows,
        GrowthPlot.entries,
        axis: "entries in the cache",
        powers: 3...5,
        isPerItem: false
      )
      try growth.write(to: output + "/growth")
      let fanOut = GrowthPlot(
        suite.rows,
        GrowthPlot.consumers,
        axis: "consumers of one key",
        powers: 0...4,
        isPerItem: true
      )
      try fanOut.write(to: output + "/fan-out")
    } catch {
      print("The results could not be written: \(error)")
    }
  }

  nonisolated private static func measure(_ suite: Suite) async {
    await RawLimits.measure(suite)
    await Floors.measure(suite)
    if suite.wants("memory") { await MemoryCases.measure(suite) }
    if suite.wants("floor") { await FloorCases.measure(suite) }
    if suite.wants("read") { await ReadingCases.measure(suite) }
    if suite.wants("subscribe") { await SubscribingCases.measure(suite) }
    if suite.wants("fetch") { await FetchingCases.measure(suite) }
    if suite.wants("served") { await ServedQueryCases.measure(suite) }
    if suite.wants("page") { await PagingCases.measure(suite) }
    if suite.wants("bulk") { await BulkCases.measure(suite) }
    if suite.wants("fanout") { await FanOutCases.measure(suite) }
    if suite.wants("observed") { await ObservedCases.measure(suite) }
    if suite.wants("persist") { await PersistingCases.measure(suite) }
    if suite.wants("operator") { await OperatorTimes.measure(suite) }
    if suite.wants("contend") { ContentionCases.measure(suite) }
    if suite.wants("scenarios") {
      Floors.scenarios(suite)
      ScenarioCases.measure(suite)
    }
  }
}
