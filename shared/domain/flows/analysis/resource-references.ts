import { isPlain } from '../../../adapters/templates/limits.ts';
import { runtimeToolsIn, toolTarget } from '../checking/runtime-tools.ts';
import type { StepNode } from '../checking/step-nodes.ts';
import { ownTexts, secretKeysOfText } from '../secret-keys.ts';
import { modelsIn } from './models.ts';

/** The kinds of resources that a flow references. A record is referenced by its id, or by its type and name. */
export type ResourceKind =
  | 'secret'
  | 'model'
  | 'tool'
  | 'flow'
  | 'agent'
  | 'recordType'
  | 'recordId'
  | 'recordName'
  | 'collection';

export interface ResourceReference {
  kind: ResourceKind;
  /** For a `recordName`: the type and the name, separated by NUL, which types cannot contain. */
  name: string;
  visit: StepNode;
  /** Within the step. */
  path: PropertyKey[];
}
type Named = Pick<ResourceReference, 'kind' | 'name' | 'path'>;
type Json = Record<string, unknown>;

/** Longer texts cannot be names. */
const nameMax = 1_000;

/** The resources that steps reference literally. Ignores templates, and resources that steps of the same flow create. */
export function resourceReferencesIn(visits: Iterable<StepNode>): ResourceReference[] {
  const enabled = [...visits].filter(({ step }) => step.enabled);
  const made = new Set(enabled.flatMap(({ step }) => madeBy(step.type, step.config)));
  return enabled.flatMap((visit) =>
    namedBy(visit)
      .filter(({ name }) => name.length <= nameMax)
      .filter(
        ({ kind, name }) =>
          !made.has(`${kind === 'recordName' ? 'recordType' : kind} ${name.split('\0')[0]}`),
      )
      .map((named) => ({ ...named, visit })),
  );
}

function madeBy(type: string, { recordType, destination }: Json): string[] {
  if (type === 'upsert-record' && typeof recordType === 'string') return [`recordType ${recordType}`];
  if (type === 'store-vector' && typeof destination === 'string') return [`collection ${destination}`];
  return [];
}

const namedBy = ({ step }: StepNode): Named[] => [
  ...ownTexts(step).flatMap(({ text, path }) =>
    secretKeysOfText({ text, path }).map((name): Named => ({ kind: 'secret', name, path })),
  ),
  ...modelsIn(step.config).map((model): Named => ({ kind: 'model', ...model })),
  ...(namesOf.get(step.type)?.(step.config) ?? []),
];

/** Further references, by step type. */
const namesOf = new Map<string, (config: Json) => Named[]>([
  ['retrieve-record', recordsIn],
  ['update-record', recordsIn],
  ['flow', ({ flowId }) => literal('flow', flowId, ['config', 'flowId'])],
  ['tool-call', ({ toolId }) => literal('tool', toolId, ['config', 'toolId'])],
  ['prompt', toolsIn],
  ['vector-search', ({ collection }) => literal('collection', collection, ['config', 'collection'])],
]);

function toolsIn(config: Json): Named[] {
  const { toolIds } = (config.tools ?? {}) as { toolIds?: unknown };
  return [
    ...(Array.isArray(toolIds) ? toolIds : []).flatMap((id, index) =>
      literal('tool', id, ['config', 'tools', 'toolIds', index]),
    ),
    ...runtimeToolsIn(config).flatMap((tool) => {
      const { kind, id, path } = toolTarget(tool) ?? {};
      return kind && path ? literal(kind, id, path) : [];
    }),
  ];
}

function recordsIn({ id, recordId, recordType, type, recordName, name, recordFilter }: Json): Named[] {
  const filtered = (recordFilter as { type?: unknown } | null | undefined)?.type;
  const ofType = recordType ?? type;
  const called = recordName ?? name;
  const at = (member: string) => ['config', member];
  if (typeof ofType === 'string' && typeof called === 'string') {
    const path = at(recordName === undefined ? 'name' : 'recordName');
    if (isPlain(ofType) && isPlain(called))
      return [{ kind: 'recordName', name: `${ofType}\0${called}`, path }];
    return literal('recordType', ofType, at(recordType === undefined ? 'type' : 'recordType'));
  }
  return [
    ...literal('recordId', id ?? recordId, at(id === undefined ? 'recordId' : 'id')),
    ...literal('recordType', filtered, ['config', 'recordFilter', 'type']),
  ];
}

const literal = (kind: ResourceKind, name: unknown, path: PropertyKey[]): Named[] =>
  typeof name === 'string' && name !== '' && isPlain(name) ? [{ kind, name, path }] : [];
