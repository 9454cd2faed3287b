/// Something nests deeper than ``KeyNesting/text`` or ``KeyNesting/encoded`` levels.
struct KeyTextTooDeep: Error {}
