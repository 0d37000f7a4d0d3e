// Selects which map labels fit and on which side: the most important first, without overlaps.

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface LabelToPlace<Side> {
  id: string;
  /** Candidate positions, best first. */
  places: readonly { side: Side; box: Box }[];
}

/** The side of each label that fits; earlier labels choose first. */
export function declutter<Side>(labels: readonly LabelToPlace<Side>[], taken: readonly Box[]): Map<string, Side> {
  const boxes = [...taken];
  const sides = new Map<string, Side>();
  for (const { id, places } of labels) {
    const free = places.find(({ box }) => !boxes.some((other) => doOverlap(box, other)));
    if (free === undefined) continue;
    boxes.push(free.box);
    sides.set(id, free.side);
  }
  return sides;
}

function doOverlap(one: Box, other: Box): boolean {
  return (
    one.left < other.left + other.width &&
    other.left < one.left + one.width &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  );
}
