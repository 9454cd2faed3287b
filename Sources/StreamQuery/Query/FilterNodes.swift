/// Appends a node of a filter to those that were joined before.
///
/// Filters are also made of data, as of a list of ids by `reduce`: a tree as deep as the list is long
/// would overflow the stack. A full list becomes the first element of the next, so that depth grows
/// once in sixty.
func joined<Node>(_ nodes: [Node], _ node: Node, _ make: ([Node]) -> Node) -> [Node] {
  nodes.count < 64 ? nodes + [node] : [make(nodes), node]
}
