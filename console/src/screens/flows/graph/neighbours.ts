import type { GraphLayout, GraphNode } from './layout.ts';

/**
 * The node that an arrow key leads to. Up and down go through all steps in their order, as in a tree; left and right, to
 * the nearest one beside. `home` and `end` are the first and the last.
 */
export function nextInDirection(
  { nodes }: Pick<GraphLayout, 'nodes'>,
  fromId: string | undefined,
  direction: string,
): GraphNode | undefined {
  const index = nodes.findIndex(({ step }) => step.id === fromId);
  const from = nodes[index];
  switch (direction) {
    case 'home':
      return nodes[0];
    case 'end':
      return nodes.at(-1);
    case 'down':
      return nodes[index + 1];
    case 'up':
      return nodes[index - 1];
    case 'left':
    case 'right':
      return from && nearestBeside(nodes, from, direction === 'left' ? -1 : 1);
    default:
      return undefined;
  }
}

function nearestBeside(nodes: readonly GraphNode[], from: GraphNode, side: -1 | 1): GraphNode | undefined {
  const distance = ({ x, y }: GraphNode) => Math.abs(x - from.x) + 2 * Math.abs(y - from.y);
  const beside = nodes.filter(({ x }) => (x - from.x) * side > 0);
  return beside.reduce<GraphNode | undefined>(
    (best, node) => (best && distance(best) <= distance(node) ? best : node),
    undefined,
  );
}
