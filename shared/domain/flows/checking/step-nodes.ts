import { stepTypes } from '../step-types/index.ts';
import { type ConfigText, listConfigTexts } from '../steps/config-texts.ts';
import { findHeldLists } from '../steps/held-lists.ts';
import type { AnyStepType } from '../steps/step.ts';

type Json = Record<string, unknown>;

/** A step as the caller sent it, which may be partly invalid. */
export interface UncheckedStep {
  type: string;
  name: string;
  config: Json;
  when?: string;
  enabled: boolean;
  /** Whether it has a policy by which it is tried again. */
  retries: boolean;
}

export interface StepNode {
  step: UncheckedStep;
  /** Within the body. */
  path: PropertyKey[];
  /** The index of its top-level step. */
  index: number;
  /** The lists of steps that contain it, outermost first. */
  lists: NodeList[];
  texts: ConfigText[];
  /** Whether its output may be that of the flow, or of a list that a step runs. */
  last: boolean;
}

/** A list that a step holds. */
export interface NodeList {
  /** Within the body. */
  path: string;
  holder: { step: UncheckedStep; path: PropertyKey[] };
}

/** Whether what is set in the list is not set outside of it. */
export const hasOwnVariables = ({ holder: { step } }: NodeList) =>
  ['parallel', 'map', 'reduce'].includes(step.type);

interface Place {
  path: PropertyKey[];
  index?: number;
  lists?: NodeList[];
  last?: boolean;
}

/** Walks the steps of a list and those that they hold in the order in which they are written. Skips what is not a step. */
export function* walkStepNodes(steps: unknown, place: Place): Generator<StepNode, void> {
  const { lists = [], last: isLast = true } = place;
  const sent = sortSteps(steps);
  const lastEnabled = sent.findLast(({ step }) => step.enabled)?.position;
  for (const { step, position } of sent) {
    const path = [...place.path, position];
    const index = place.index ?? position;
    const isIn = (type: string) => lists.at(-1)?.holder.step.type === type;
    // A branch gives all that it sets.
    const last = isIn('parallel') || (isLast && position === lastEnabled);
    yield { step, path, index, lists, texts: listEvaluatedTexts(step), last };
    for (const held of findHeldLists(step.config)) {
      const inside = [...path, 'config', ...held.at];
      const list = { path: inside.join('.'), holder: { step, path } };
      const mayBeLast =
        step.type === 'map'
          ? step.config.output === undefined
          : last || ['loop', 'reduce'].includes(step.type);
      yield* walkStepNodes(held.steps, { path: inside, index, lists: [...lists, list], last: mayBeLast });
    }
  }
}

/** By `order`, then by position, as in stored flows. */
function sortSteps(steps: unknown) {
  const list: unknown[] = Array.isArray(steps) ? steps : [];
  return list
    .flatMap((raw, position) => {
      const step = toUncheckedStep(raw);
      const { order } = (raw ?? {}) as { order?: unknown };
      return step ? [{ step, position, order: typeof order === 'number' ? order : position }] : [];
    })
    .sort((one, other) => one.order - other.order);
}

function toUncheckedStep(raw: unknown): UncheckedStep | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const { type, name, config = {}, when, enabled, retry } = raw as Json;
  if (typeof type !== 'string' || typeof config !== 'object' || config === null) return undefined;
  return {
    type,
    name: typeof name === 'string' ? name : '',
    config: config as Json,
    ...(typeof when === 'string' && { when }),
    enabled: enabled !== false,
    retries: retry !== undefined && retry !== null,
  };
}

/** The texts of a step that read variables, found through the schema of its type. */
export function listEvaluatedTexts({
  type,
  config,
  when,
}: Pick<UncheckedStep, 'type' | 'config'> & { when?: string | undefined }): ConfigText[] {
  const types: Record<string, AnyStepType> = stepTypes;
  const stepType = Object.hasOwn(types, type) ? types[type] : undefined;
  // Keyed by path, since several options of a union may find the same text.
  const found = new Map<string, ConfigText>();
  if (when !== undefined) found.set('when', { kind: 'expression', text: when, path: ['when'] });
  if (!stepType) return [...found.values()];
  for (const text of listConfigTexts(stepType.config, config)) found.set(text.path.join('.'), text);
  return [...found.values()];
}

interface SentTool {
  toolType: unknown;
  config: Record<string, unknown>;
  /** Within the step. */
  path: PropertyKey[];
}

/** The runtime tools of a config as a caller sent it, which may be partly invalid. */
export function listRuntimeTools({ tools }: Record<string, unknown>): SentTool[] {
  const { runtimeTools } = (tools ?? {}) as { runtimeTools?: unknown };
  const list: unknown[] = Array.isArray(runtimeTools) ? runtimeTools : [];
  return list.map((tool, index) => {
    const { toolType, config } = (tool ?? {}) as { toolType?: unknown; config?: unknown };
    const path = ['config', 'tools', 'runtimeTools', index];
    return { toolType, config: typeof config === 'object' ? { ...config } : {}, path };
  });
}

export function findToolTarget({ toolType, config, path }: SentTool) {
  const [kind, member] =
    toolType === 'flow' ? (['flow', 'flowId'] as const) : (['agent', 'agentId'] as const);
  const id = config[member];
  if ((toolType !== 'flow' && toolType !== 'subagent') || typeof id !== 'string') return undefined;
  return { kind, id, path: [...path, 'config', member] };
}
