import { definitionPath, holderPath, listsAround } from '../../domain/flows/steps/run-path.ts';
import type { Checkpoint } from '../runs/checkpoint.ts';
import { stepAttributes } from './attributes.ts';
import type { SpanNode } from './span-node.ts';
import { placeAttributes, type StepsByPath } from './step-places.ts';

/** Adds the steps that hold others and have no result yet: they have one when these have ended. */
export function addHolders(
  { runId, end }: Checkpoint,
  spans: Map<string, SpanNode>,
  steps: StepsByPath,
): void {
  const inside = [...spans];
  const missing = new Set(inside.flatMap(([path]) => listsAround(path).map(holderPath)));
  for (const at of missing) {
    if (spans.has(at)) continue;
    const held = inside.flatMap(([path, span]) => (path.startsWith(`${at}.`) ? [span] : []));
    const step = steps.get(definitionPath(at));
    spans.set(at, {
      runId,
      path: `step/${at}`,
      name: step?.name ?? at,
      kind: 'step',
      status: end ? 'error' : held.some(({ status }) => status === 'waiting') ? 'waiting' : 'running',
      start: Math.min(...held.map(({ start }) => start)),
      end: end ? Date.parse(end.at) : null,
      attributes: {
        ...stepAttributes(step?.id, step?.type),
        ...placeAttributes(steps, at),
        ...(end && { 'error.type': 'step_failed' }),
      },
      children: [],
    });
  }
}
