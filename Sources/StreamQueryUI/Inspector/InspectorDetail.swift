#if canImport(SwiftUI)
internal import SwiftUI

/// Shows a key at the selected moment: its state, reasons, options and history, and the commands for it.
struct InspectorDetail: View {
  @Bindable var model: InspectorModel
  let key: Int

  var body: some View {
    let detail = model.detail(of: key)
    List {
      if let detail {
        Section(detail.valueType) {
          if let row = detail.row { InspectorState(row: row) }
          if let error = detail.error { Text(verbatim: "Error: \(error)") }
          InspectorTime(model: model)
        }
        InspectorCommands(model: model, key: key)
        if let why = detail.why {
          Section("Why did this refetch?") { Text(verbatim: why) }
        }
        Section("Who observes this?") { Text(verbatim: detail.who) }
        if !detail.optimisticChanges.isEmpty {
          Section("Changed optimistically by") {
            ForEach(detail.optimisticChanges, id: \.self) { Text(verbatim: $0) }
          }
        }
        Section("Options") {
          ForEach(detail.options) { Text(verbatim: "\($0.name): \($0.value)") }
        }
        Section("History") {
          ForEach(detail.lines) { InspectorLine(model: model, line: $0) }
          if detail.hasEarlierLines { Text("There were earlier events.") }
        }
      } else {
        Text("The record does not have this key any more.")
      }
    }
    .navigationTitle(detail?.title ?? "")
  }
}

private struct InspectorCommands: View {
  let model: InspectorModel
  let key: Int

  var body: some View {
    Section("Do") {
      ForEach(InspectorModel.Command.allCases) { command in
        Button(command.title) { model.give(command, for: key) }
      }
      .disabled(!model.canCommand(key))
      if let refusal = model.refusalText(for: key) { Text(verbatim: refusal) }
    }
  }
}

/// An event in a history; a tap selects the moment of the event.
private struct InspectorLine: View {
  let model: InspectorModel
  let line: KeyDetail.Line

  var body: some View {
    Button {
      model.scrub(toEvent: line.id)
    } label: {
      VStack(alignment: .leading) {
        Text(verbatim: "\(line.text), \(line.ago) ago")
        if let reason = line.reason { Text(verbatim: reason).font(.caption) }
      }
    }
  }
}
#endif
