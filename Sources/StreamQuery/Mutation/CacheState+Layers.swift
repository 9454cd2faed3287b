extension CacheState {
  mutating func lay(_ layers: [OptimisticLayer], of job: MutationJob, _ turn: inout Turn) {}
  mutating func keepLayers(of job: MutationJob, _ run: Int, _ turn: inout Turn) {}
  mutating func dropLayers(of job: MutationJob, _ run: Int, _ turn: inout Turn) {}
  mutating func settleLayers(of job: MutationJob, _ run: Int, _ turn: inout Turn) {}
}
