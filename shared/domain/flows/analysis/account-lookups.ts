import { hasCollection } from '../../../adapters/vectors/has-collection.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import { resourceId } from '../../../core/ids.ts';
import type { Key } from '../../../platform/data/keys.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { unknownTarget } from '../../agents/checks/step-targets.ts';
import { agentEntity } from '../../agents/config/agent.ts';
import { modelSelector } from '../../model-configs/model-selector.ts';
import { selectModel } from '../../model-configs/select-model.ts';
import { RecordType, recordGuardEntity, recordsRange } from '../../records/record.ts';
import { findSecrets } from '../../secrets/find-secrets.ts';
import { findBuiltinTool } from '../../tools/builtin/index.ts';
import { manyTools } from '../../tools/tool-store.ts';
import { flowEntity } from '../flow.ts';
import { builtinIdIn } from '../steps/tool-reference.ts';
import type { ResourceKind } from './resource-references.ts';

/** Looks up resources of one kind. @returns the problem of each name that does not exist. */
type Lookup = (names: readonly string[], scope: Scope) => Promise<ReadonlyMap<string, string>>;

async function eachProblem(
  names: readonly string[],
  problemOf: (name: string) => Promise<string | undefined>,
) {
  const checked = await Promise.all(names.map(async (name) => [name, await problemOf(name)] as const));
  return new Map(
    checked.flatMap(([name, problem]) => (problem === undefined ? [] : [[name, problem] as const])),
  );
}

const secret: Lookup = async (keys, { table }) => {
  const known = await findSecrets(table, keys);
  return eachProblem(keys, async (key) =>
    known.get(key)?.status === 'active'
      ? undefined
      : `The secret ${key} has no value: set it through /v1/secrets`,
  );
};

const model: Lookup = async (names, scope) => {
  const world = await modelSelector(scope)();
  return eachProblem(names, async (name) => {
    try {
      selectModel(name, world);
      return undefined;
    } catch (error) {
      if (error instanceof StepError) return error.message;
      throw error;
    }
  });
};

const tool: Lookup = async (ids, scope) => {
  const stored = new Map((await manyTools(scope, ids.filter(isToolId))).map((one) => [one.id, one]));
  return eachProblem(ids, async (id) => {
    const builtinId = builtinIdIn(id);
    if (builtinId !== undefined && findBuiltinTool(builtinId)) return undefined;
    const found = stored.get(id);
    if (!found) return `There is no tool ${id}`;
    return found.isActive ? undefined : `The tool "${found.name}" (${id}) is not active`;
  });
};

const existing =
  (kind: 'flow' | 'agent', keyOf: (id: string) => Key): Lookup =>
  async (ids, { table }) => {
    const found = await table.getMany(ids.map(keyOf));
    const missing = ids.filter((_id, index) => !found[index]);
    return new Map(missing.map((id) => [id, unknownTarget({ kind, id })]));
  };

const isToolId = (id: string) => resourceId('tool').safeParse(id).success;

const recordName: Lookup = async (pairs, { table }) => {
  const named = pairs.map((pair) => {
    const [type = '', name = ''] = pair.split('\0');
    return { pair, type, name };
  });
  const guards = await table.getMany(named.map((pair) => recordGuardEntity.key(pair)));
  const missing = named.filter((_pair, index) => guards[index] === undefined);
  return new Map(
    missing.map(({ pair, type, name }) => [
      pair,
      `There is no record of the type "${type}" with the name "${name}"`,
    ]),
  );
};

const recordId: Lookup = (ids, { table }) =>
  eachProblem(ids, async (id) => {
    const range = { ...recordsRange(undefined), from: id, to: id };
    const exists =
      resourceId('record').safeParse(id).success && (await table.first(1, range)).items.length > 0;
    return exists ? undefined : `There is no record with the id "${id}"`;
  });

const recordType: Lookup = (types, { table }) =>
  eachProblem(types, async (type) => {
    const exists =
      RecordType.safeParse(type).success && (await table.first(1, recordsRange(type))).items.length > 0;
    return exists ? undefined : `There is no record of the type "${type}"`;
  });

const collection: Lookup = (collections, { table }) =>
  eachProblem(collections, async (collection) =>
    (await hasCollection(table.tenant, collection.trim()))
      ? undefined
      : `The collection "${collection}" is empty; store vectors in it first`,
  );

export const lookups: Record<ResourceKind, Lookup> = {
  secret,
  model,
  tool,
  flow: existing('flow', (id) => flowEntity.key({ id })),
  agent: existing('agent', (id) => agentEntity.key({ id })),
  recordName,
  recordId,
  recordType,
  collection,
};
