/**
 * Checks whether the tenant has what the steps of a flow reference: secrets, models, records, flows, agents, tools and
 * collections.
 * Only literal names are looked up, none that another step of the flow creates, within a bound for each kind, and only
 * where the caller's permissions let it see the result. Secrets, tools, flows, agents and names of records take one
 * batch of keys each; ids and types of records and collections take a request for each name; models are selected from
 * the tenant's configs, which are loaded once.
 * A lookup that fails is logged and reported as skipped: validation never fails because of it. What is missing is a
 * warning, except where saving refuses it too.
 * Called by `functions/public/validate-flow.ts`; the analysis that needs no tenant is in `validate.ts`.
 */
import { isPlain } from '../../../adapters/templates/limits.ts';
import { hasCollection } from '../../../adapters/vectors/vectors-adapter.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import { resourceId } from '../../../core/ids.ts';
import { log } from '../../../core/log.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Key } from '../../../platform/data/keys.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { covers, type Permission } from '../../../platform/identity/permissions.ts';
import { unknownTarget } from '../../agents/checks/step-targets.ts';
import { agentEntity } from '../../agents/config/agent.ts';
import { modelSelector, selectModel } from '../../model-configs/select-model.ts';
import { RecordType, recordGuardEntity, recordsRange } from '../../records/record.ts';
import { findSecrets } from '../../secrets/find-secrets.ts';
import { findBuiltinTool } from '../../tools/builtin/index.ts';
import { readTools } from '../../tools/tool-store.ts';
import { findToolTarget, listRuntimeTools, type StepNode, walkStepNodes } from '../checking/step-nodes.ts';
import { flowEntity } from '../flow.ts';
import { listOwnTexts, listTextSecretKeys } from '../secret-keys.ts';
import { readBuiltinId } from '../steps/tool-reference.ts';
import { createFinding, type Finding, limitFindings } from './finding.ts';
import { listModels } from './models.ts';

interface Check {
  code: string;
  /** The permission that the caller needs to see the result; null if any credential is enough. */
  permission: Permission | null;
  /** How many names to look up; further names are skipped. */
  max: number;
  /** Whether saving checks it too. */
  prevents?: boolean;
}

const checks: Record<ResourceKind, Check> = {
  secret: { code: 'UNKNOWN_SECRET', permission: 'SECRETS:READ', max: 100 },
  model: { code: 'MODEL_NOT_CONFIGURED', permission: null, max: 100 },
  recordName: { code: 'UNKNOWN_RECORD', permission: 'RECORDS:READ', max: 100 },
  tool: { code: 'UNKNOWN_TOOL', permission: 'TOOLS:READ', max: 100 },
  flow: { code: 'UNKNOWN_FLOW', permission: 'FLOWS:READ', max: 100, prevents: true },
  agent: { code: 'UNKNOWN_AGENT', permission: 'AGENTS:READ', max: 100, prevents: true },
  // Each of these lookups is a separate request.
  recordId: { code: 'UNKNOWN_RECORD', permission: 'RECORDS:READ', max: 10 },
  recordType: { code: 'UNKNOWN_RECORD_TYPE', permission: 'RECORDS:READ', max: 10 },
  collection: { code: 'UNKNOWN_COLLECTION', permission: 'RECORDS:READ', max: 10 },
};

export interface AccountFindings {
  /** What prevents saving. */
  errors: Finding[];
  findings: Finding[];
  /** True if something was looked up, or the flow references nothing. */
  performed: boolean;
  /** True if a reference was not looked up. */
  skipped: boolean;
}

export const accountCheck = /* @__PURE__ */ using(
  ['table:read', hasCollection, modelSelector],
  (scope: Scope) =>
    async function check(steps: unknown, member: string, held: readonly string[]): Promise<AccountFindings> {
      const mentions = listReferences(walkStepNodes(steps, { path: [member] }));
      const byKind = [...Map.groupBy(mentions, ({ kind }) => kind)];
      const results = await Promise.all(byKind.map(([kind, some]) => checkKind(scope, kind, some, held)));
      const skipped = results.some((result) => result.skipped);
      return {
        errors: limitFindings(results.flatMap(({ errors }) => errors)),
        findings: limitFindings(results.flatMap(({ findings }) => findings)),
        performed: results.length === 0 || results.some(({ performed }) => performed),
        skipped,
      };
    },
);

async function checkKind(
  scope: Scope,
  kind: ResourceKind,
  mentions: readonly ResourceReference[],
  held: readonly string[],
): Promise<AccountFindings> {
  const { code, permission, max, prevents = false } = checks[kind];
  const none = { errors: [], findings: [], performed: false, skipped: true };
  if (permission && !covers(held, permission)) return none;
  const names = [...new Set(mentions.map(({ name }) => name))];
  try {
    const wrong = await lookups[kind](names.slice(0, max), scope);
    const findings = mentions.flatMap(({ name, visit, path }) => {
      const message = wrong.get(name);
      return message ? [createFinding(visit, path, code, message, { [kind]: name.split('\0').at(-1) })] : [];
    });
    const [errors, warnings] = prevents ? [findings, []] : [[], findings];
    return { errors, findings: warnings, performed: true, skipped: names.length > max };
  } catch (error) {
    // The other findings are useful without this lookup.
    log.error('A lookup for the validation of a flow failed', { error, code });
    return none;
  }
}

/** Looks up resources of one kind. @returns the problem of each name that does not exist. */
type Lookup = (names: readonly string[], scope: Scope) => Promise<ReadonlyMap<string, string>>;

async function collectProblems(
  names: readonly string[],
  findProblem: (name: string) => Promise<string | undefined>,
) {
  const checked = await Promise.all(names.map(async (name) => [name, await findProblem(name)] as const));
  return new Map(
    checked.flatMap(([name, problem]) => (problem === undefined ? [] : [[name, problem] as const])),
  );
}

const secret: Lookup = async (keys, { table }) => {
  const secrets = await findSecrets(table, keys);
  return collectProblems(keys, async (key) =>
    secrets.get(key)?.status === 'active'
      ? undefined
      : `The secret ${key} has no value: set it through /v1/secrets`,
  );
};

const model: Lookup = async (names, scope) => {
  const selecting = await modelSelector(scope)();
  return collectProblems(names, async (name) => {
    try {
      selectModel(name, selecting);
      return undefined;
    } catch (error) {
      if (error instanceof StepError) return error.message;
      throw error;
    }
  });
};

const tool: Lookup = async (ids, scope) => {
  const stored = new Map((await readTools(scope, ids.filter(isToolId))).map((one) => [one.id, one]));
  return collectProblems(ids, async (id) => {
    const builtinId = readBuiltinId(id);
    if (builtinId !== undefined && findBuiltinTool(builtinId)) return undefined;
    const found = stored.get(id);
    if (!found) return `There is no tool ${id}`;
    return found.isActive ? undefined : `The tool "${found.name}" (${id}) is not active`;
  });
};

const createTargetLookup =
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
  collectProblems(ids, async (id) => {
    const range = { ...recordsRange(undefined), from: id, to: id };
    const exists =
      resourceId('record').safeParse(id).success && (await table.first(1, range)).items.length > 0;
    return exists ? undefined : `There is no record with the id "${id}"`;
  });

const recordType: Lookup = (types, { table }) =>
  collectProblems(types, async (type) => {
    const exists =
      RecordType.safeParse(type).success && (await table.first(1, recordsRange(type))).items.length > 0;
    return exists ? undefined : `There is no record of the type "${type}"`;
  });

const collection: Lookup = (collections, { table }) =>
  collectProblems(collections, async (collection) =>
    (await hasCollection(table.tenant, collection.trim()))
      ? undefined
      : `The collection "${collection}" is empty; store vectors in it first`,
  );

const lookups: Record<ResourceKind, Lookup> = {
  secret,
  model,
  tool,
  flow: createTargetLookup('flow', (id) => flowEntity.key({ id })),
  agent: createTargetLookup('agent', (id) => agentEntity.key({ id })),
  recordName,
  recordId,
  recordType,
  collection,
};

/** The kinds of resources that a flow references. A record is referenced by its id, or by its type and name. */
type ResourceKind =
  | 'secret'
  | 'model'
  | 'tool'
  | 'flow'
  | 'agent'
  | 'recordType'
  | 'recordId'
  | 'recordName'
  | 'collection';

interface ResourceReference {
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
function listReferences(visits: Iterable<StepNode>): ResourceReference[] {
  const enabled = [...visits].filter(({ step }) => step.enabled);
  const made = new Set(enabled.flatMap(({ step }) => listCreated(step.type, step.config)));
  return enabled.flatMap((visit) =>
    listNamed(visit)
      .filter(({ name }) => name.length <= nameMax)
      .filter(
        ({ kind, name }) =>
          !made.has(`${kind === 'recordName' ? 'recordType' : kind} ${name.split('\0')[0]}`),
      )
      .map((named) => ({ ...named, visit })),
  );
}

function listCreated(type: string, { recordType, destination }: Json): string[] {
  if (type === 'upsert-record' && typeof recordType === 'string') return [`recordType ${recordType}`];
  if (type === 'store-vector' && typeof destination === 'string') return [`collection ${destination}`];
  return [];
}

const listNamed = ({ step }: StepNode): Named[] => [
  ...listOwnTexts(step).flatMap(({ text, path }) =>
    listTextSecretKeys({ text, path }).map((name): Named => ({ kind: 'secret', name, path })),
  ),
  ...listModels(step.config).map((model): Named => ({ kind: 'model', ...model })),
  ...(namesOf.get(step.type)?.(step.config) ?? []),
];

/** Further references, by step type. */
const namesOf = new Map<string, (config: Json) => Named[]>([
  ['retrieve-record', listRecordReferences],
  ['update-record', listRecordReferences],
  ['flow', ({ flowId }) => toLiteral('flow', flowId, ['config', 'flowId'])],
  ['tool-call', ({ toolId }) => toLiteral('tool', toolId, ['config', 'toolId'])],
  ['prompt', listToolReferences],
  ['vector-search', ({ collection }) => toLiteral('collection', collection, ['config', 'collection'])],
]);

function listToolReferences(config: Json): Named[] {
  const { toolIds } = (config.tools ?? {}) as { toolIds?: unknown };
  return [
    ...(Array.isArray(toolIds) ? toolIds : []).flatMap((id, index) =>
      toLiteral('tool', id, ['config', 'tools', 'toolIds', index]),
    ),
    ...listRuntimeTools(config).flatMap((tool) => {
      const { kind, id, path } = findToolTarget(tool) ?? {};
      return kind && path ? toLiteral(kind, id, path) : [];
    }),
  ];
}

function listRecordReferences({
  id,
  recordId,
  recordType,
  type,
  recordName,
  name,
  recordFilter,
}: Json): Named[] {
  const filtered = (recordFilter as { type?: unknown } | null | undefined)?.type;
  const ofType = recordType ?? type;
  const called = recordName ?? name;
  const toPath = (member: string) => ['config', member];
  if (typeof ofType === 'string' && typeof called === 'string') {
    const path = toPath(recordName === undefined ? 'name' : 'recordName');
    if (isPlain(ofType) && isPlain(called))
      return [{ kind: 'recordName', name: `${ofType}\0${called}`, path }];
    return toLiteral('recordType', ofType, toPath(recordType === undefined ? 'type' : 'recordType'));
  }
  return [
    ...toLiteral('recordId', id ?? recordId, toPath(id === undefined ? 'recordId' : 'id')),
    ...toLiteral('recordType', filtered, ['config', 'recordFilter', 'type']),
  ];
}

const toLiteral = (kind: ResourceKind, name: unknown, path: PropertyKey[]): Named[] =>
  typeof name === 'string' && name !== '' && isPlain(name) ? [{ kind, name, path }] : [];
