// How layers lie over data.
//
// An optimistic change is not a write. The data of an entry is what the server said last, and nothing else; a
// running mutation lays a layer over it, a function from data to data, and what consumers see is the data with
// all layers applied in the order in which they were laid. Three things follow that a write and a snapshot to
// roll back to cannot have: two mutations of one entry compose, each rolls back by itself, and an answer that
// lands meanwhile is shown at once, below them.
//
// Layers are user code, so no turn applies them. A turn only says what lies over what, in a `LayeredBox`; whoever
// looks first works it out, outside the lock, and all who look see that one answer. Nothing that the cache
// decides depends on it.
//
// The hard part is when a layer goes.
//
// - The run failed or was cancelled: at once, and its layers alone.
// - The run succeeded: the data below is still the old one, and taking the layer away would flicker back. So it
//   stays, with the number of the entry's newest fetch, until something newer replaces it: a write of that key by
//   the run's callbacks, or the end of any fetch that began since. Answers of fetches that began before are
//   outdated from now on: they were asked for before the server knew of the change.
// - The run is over, callbacks included, and neither of the two has begun: nothing will replace the layer, so it
//   goes with the run.
//
// An entry with layers is pinned: what is shown must not expire below them. Removing or clearing an entry takes
// its layers along; a reset keeps them, for the mutation still runs.

extension CacheState {
  /// Lays the changes of a run over the entries' data, above the layers that are there.
  mutating func lay(_ layers: [PlannedLayer], of job: MutationJob, _ turn: inout Turn) {
    for planned in layers {
      let index: Int
      if let present = find(planned.layer.key) {
        index = present
      } else {
        index = entry(planned.layer.key, nil, &turn)
        slots[index].machine.planned(terms: nil, gcTime: planned.gcTime)
      }
      slots[index].layers.append(LaidLayer(layer: planned.layer, job: job))
      slots[index].machine.pinned()
      let id = id(of: index)
      if !mutations.slots[Int(job.id.index)].layered.contains(id) {
        mutations.slots[Int(job.id.index)].layered.append(id)
      }
      layersChanged(index, &turn)
    }
  }

  /// A run succeeded: its layers stay until what replaces them is there, and answers that were asked
  /// for before do not land.
  mutating func keepLayers(of job: MutationJob, _ run: Int, _ turn: inout Turn) {
    for index in layeredEntries(run) {
      let newest = slots[index].machine.newestFetch
      for position in slots[index].layers.indices where slots[index].layers[position].job === job {
        slots[index].layers[position].keptSince = newest
      }
      let effects = slots[index].machine.outdated(in: turn.world)
      apply(effects, index, &turn)
    }
  }

  /// A run failed or was cancelled: only its layers go.
  mutating func dropLayers(of job: MutationJob, _ run: Int, _ turn: inout Turn) {
    for index in layeredEntries(run) { removeLayers(index, &turn) { $0.job === job } }
  }

  /// A run is over: layers go for which nothing is under way.
  mutating func settleLayers(of job: MutationJob, _ run: Int, _ turn: inout Turn) {
    for index in layeredEntries(run) {
      // Its answer would not land: what is asked for now will, and replaces the layers.
      apply(slots[index].machine.outdatedRestarted(in: turn.world), index, &turn)
      let newest = slots[index].machine.newestFetch
      removeLayers(index, &turn) { $0.job === job && $0.keptSince == newest }
    }
    mutations.slots[run].layered = []
  }

  /// A fetch settled: kept layers go that it was begun after.
  mutating func landOnLayers(_ index: Int, _ turn: inout Turn) {
    guard slots[index].isLayered else { return }
    let newest = slots[index].machine.newestFetch
    strip(index, &turn) { layer in layer.keptSince.map { $0 != newest } ?? false }
    reshow(index, &turn)
  }

  /// The entry is about to be written: by the callbacks of a run, that replaces its layers.
  mutating func writeOnLayers(_ index: Int, _ turn: inout Turn) {
    guard slots[index].isLayered, let job = MutationJob.current else { return }
    strip(index, &turn) { $0.job === job && $0.keptSince != nil }
  }

  /// Takes all layers off an entry that is about to be emptied.
  mutating func removeAllLayers(_ index: Int, _ turn: inout Turn) {
    if slots[index].isLayered { strip(index, &turn) { _ in true } }
  }

  /// Brings what is shown in line with what lies below and over it.
  mutating func reshow(_ index: Int, _ turn: inout Turn) {
    guard slots[index].isLayered else {
      turn.drop(slots[index].shown)
      slots[index].shown = nil
      return
    }
    let base = slots[index].machine.hasData ? slots[index].data : nil
    if let shown = slots[index].shown, shown.base === base { return }
    turn.drop(slots[index].shown)
    slots[index].shown = LayeredBox(base: base, layers: slots[index].layers.map(\.layer))
  }

  // MARK: Steps

  private func layeredEntries(_ run: Int) -> [Int] {
    // Entries that were dropped since took their layers along.
    mutations.slots[run].layered.compactMap { find($0) }
  }

  private mutating func removeLayers(
    _ index: Int,
    _ turn: inout Turn,
    where isGone: (LaidLayer) -> Bool
  ) {
    if strip(index, &turn, where: isGone) { layersChanged(index, &turn) }
  }

  @discardableResult
  private mutating func strip(
    _ index: Int,
    _ turn: inout Turn,
    where isGone: (LaidLayer) -> Bool
  ) -> Bool {
    let gone = slots[index].layers.filter(isGone)
    guard !gone.isEmpty else { return false }
    for layer in gone {
      turn.drop(layer.layer)
      turn.drop(layer.job)
    }
    slots[index].layers.removeAll(where: isGone)
    turn.drop(slots[index].shown)
    slots[index].shown = nil
    if !slots[index].isLayered { slots[index].machine.unpinned(in: turn.world) }
    return true
  }

  private mutating func layersChanged(_ index: Int, _ turn: inout Turn) {
    turn.drop(slots[index].shown)
    slots[index].shown = nil
    var effects = EntryEffects()
    effects.changed = true
    apply(effects, index, &turn)
  }
}
