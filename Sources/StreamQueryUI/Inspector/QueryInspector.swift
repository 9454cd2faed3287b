#if canImport(SwiftUI)
internal import StreamQuery
public import SwiftUI

/// Shows what happens in a client: its keys, their fetches and observers, and the runs of mutations.
///
/// Show it in a sheet or a window of a debug build:
///
/// ```swift
/// struct DebugMenu: View {
///   @State private var isInspecting = false
///
///   var body: some View {
///     Button("Inspect queries") { isInspecting = true }
///       .sheet(isPresented: $isInspecting) { QueryInspector() }
///   }
/// }
/// ```
///
/// It shows the record of the client that `queryClient(_:)` has set. That client has to keep one:
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.record = .last(1_000)
/// ```
///
/// Search, filter, sort and group the keys. Select one to see why it was fetched, who observes it and what
/// happened to it, and to invalidate, refetch, reset or remove it.
///
/// Go back in time with the slider: keys, numbers and mutations are then shown as they were. If the record no
/// longer has the selected time, the inspector says so. Commands concern the present only.
///
/// The inspector shows news at most twenty times a second, and stores at most 10,000 events. It follows the
/// record, and retains the client, only while it is on screen. After the client was shut down, you can still
/// look back.
public struct QueryInspector: View {
  @StateObject private var model = InspectorModel()
  @SwiftUI.Environment(\.queryClient) private var client

  /// Creates an inspector of the client of the environment.
  public init() {}

  /// The content.
  public var body: some View {
    @Bindable var bound = model
    NavigationStack(path: $bound.path) {
      InspectorList(model: model)
        .navigationDestination(for: Int.self) { InspectorDetail(model: model, key: $0) }
    }
    .onAppear { model.start(using: client) }
    .onChange(of: ObjectIdentifier(client)) { _, _ in model.start(using: client) }
    .onDisappear { model.stop() }
  }
}

extension InspectorModel: nonisolated StillObject {}

/// Lists the keys and runs of the selected moment.
private struct InspectorList: View {
  @Bindable var model: InspectorModel

  var body: some View {
    List {
      if model.screen.isEmpty {
        InspectorAbsence(model: model)
      } else {
        Section(model.screen.moment.totals.facts) {
          InspectorTime(model: model)
          InspectorOrder(model: model)
        }
        if model.listing.isGrouped {
          ForEach(model.screen.list.groups) { group in
            Section("\(group.title) (\(group.count))") {
              Button(group.isShown ? "Hide" : "Show") { model.toggle(group) }
              InspectorKeys(model: model, numbers: model.screen.list.numbers(in: group))
            }
          }
        } else {
          Section("\(model.screen.list.matchCount) shown") {
            InspectorKeys(model: model, numbers: model.screen.list.numbers[...])
          }
        }
        InspectorRuns(model: model)
      }
    }
    .searchable(text: $model.listing.text)
    .navigationTitle("Queries")
  }
}

/// Says why there is nothing to show.
private struct InspectorAbsence: View {
  let model: InspectorModel

  var body: some View {
    if model.isRecording {
      Text("Nothing has happened yet.")
    } else {
      Text("Nothing is recorded.")
      Text("A client keeps a record if you set this before you create it:")
      Text(verbatim: "configuration.record = .last(1_000)")
    }
    if model.isEnded { Text("The client was shut down.") }
  }
}

/// Selects which keys are listed, and in which order.
private struct InspectorOrder: View {
  @Bindable var model: InspectorModel

  var body: some View {
    Picker("State", selection: $model.listing.state) {
      ForEach(KeyListing.State.allCases) { Text($0.rawValue).tag($0) }
    }
    Picker("Sort by", selection: $model.listing.order) {
      ForEach(KeyListing.Order.allCases) { Text($0.label).tag($0) }
    }
    Toggle("Reversed", isOn: $model.listing.isReversed)
    Toggle("Grouped", isOn: $model.listing.isGrouped)
  }
}

private struct InspectorKeys: View {
  let model: InspectorModel
  let numbers: ArraySlice<Int>

  var body: some View {
    ForEach(numbers, id: \.self) { number in
      NavigationLink(value: number) { InspectorRow(model: model, number: number) }
    }
  }
}

/// A row for a key in the list.
private struct InspectorRow: View {
  let model: InspectorModel
  let number: Int

  var body: some View {
    if let row = model.row(of: number) { InspectorState(row: row, title: row.key.text) }
  }
}

private struct InspectorRuns: View {
  let model: InspectorModel

  var body: some View {
    let runs = model.runs
    if !runs.isEmpty {
      Section("Mutations") {
        ForEach(runs) { run in
          VStack(alignment: .leading) {
            Text(verbatim: run.run.mutation)
            Text(verbatim: run.facts).font(.caption)
          }
        }
      }
    }
  }
}
#endif
