import { branchesOf } from '../steps/walk-steps.ts';
import type { ConfigText } from '../texts/config-texts.ts';
import { textsOf } from './texts.ts';

type Json = Record<string, unknown>;

/** A step as the caller sent it, which may be partly invalid. */
export interface UncheckedStep {
  type: string;
  name: string;
  config: Json;
  when?: string;
  enabled: boolean;
}

export interface StepNode {
  step: UncheckedStep;
  /** Within the body. */
  path: PropertyKey[];
  /** The index of its top-level step. */
  index: number;
  /** The paths of the branches that contain it, outermost first. */
  branches: string[];
  texts: ConfigText[];
  /** Whether the flow may end with it. */
  last: boolean;
}

interface Place {
  path: PropertyKey[];
  index?: number;
  branches: string[];
  last: boolean;
}

/** Walks the steps of a list and their branches in execution order. Skips what is not a step. */
export function* stepNodesOf(steps: unknown, place: Place): Generator<StepNode, void> {
  const sent = inOrder(steps);
  const lastEnabled = sent.findLast(({ step }) => step.enabled)?.position;
  for (const { step, position } of sent) {
    const path = [...place.path, position];
    const index = place.index ?? position;
    const last = place.last && position === lastEnabled;
    yield { step, path, index, branches: place.branches, texts: textsOf(step), last };
    for (const [name, nested] of branchesOf(step.config)) {
      const inside = [...path, 'config', name];
      yield* stepNodesOf(nested, {
        path: inside,
        index,
        branches: [...place.branches, inside.join('.')],
        last,
      });
    }
  }
}

/** By `order`, then by position, as in stored flows. */
function inOrder(steps: unknown) {
  const list: unknown[] = Array.isArray(steps) ? steps : [];
  return list
    .flatMap((raw, position) => {
      const step = uncheckedStep(raw);
      const { order } = (raw ?? {}) as { order?: unknown };
      return step ? [{ step, position, order: typeof order === 'number' ? order : position }] : [];
    })
    .sort((one, other) => one.order - other.order);
}

function uncheckedStep(raw: unknown): UncheckedStep | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const { type, name, config = {}, when, enabled } = raw as Json;
  if (typeof type !== 'string' || typeof config !== 'object' || config === null) return undefined;
  return {
    type,
    name: typeof name === 'string' ? name : '',
    config: config as Json,
    ...(typeof when === 'string' && { when }),
    enabled: enabled !== false,
  };
}
