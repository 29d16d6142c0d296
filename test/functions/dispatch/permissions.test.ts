import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { stepTypeNames, type stepTypes } from '../../../shared/domain/flows/step-types/index.ts';
import { covers, type Permission, permissionNames } from '../../../shared/platform/identity/permissions.ts';
import { stepConfigs } from '../../shared/execution/engine/any-step.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

type StepTypeName = keyof typeof stepTypes;

/** The permission of each step type, a second time: add a new type here too, with what it does to the tenant's data. */
const needed: Record<StepTypeName, Permission | null> = {
  'retrieve-record': 'RECORDS:READ',
  'vector-search': 'RECORDS:READ',
  'update-record': 'RECORDS:WRITE',
  'upsert-record': 'RECORDS:WRITE',
  'store-vector': 'RECORDS:WRITE',
  'save-memory': 'RECORDS:WRITE',
  'recall-memory': 'RECORDS:READ',
  'memory-summary': 'RECORDS:READ',
  prompt: null,
  template: null,
  'transform-data': null,
  conditional: null,
  parallel: null,
  map: null,
  loop: null,
  reduce: 'RECORDS:READ',
  'set-variable': null,
  'api-call': null,
  'fetch-url': null,
  crawl: null,
  search: null,
  'fetch-github': null,
  'paginate-api': null,
  'wait-until': null,
  approval: null,
  'wait-for-callback': null,
  'send-stream': null,
  'send-email': null,
  'send-text': null,
  'send-event': null,
  'generate-embedding': null,
  'store-asset': null,
  'generate-pdf': null,
  'tool-call': 'TOOLS:EXECUTE',
  'execute-agent': 'AGENTS:EXECUTE',
  flow: 'FLOWS:EXECUTE',
};

type Caller = Tenant['call'];
/** Callers with every permission but one, and one with FLOWS:EXECUTE alone. */
const without = new Map<string, Caller>();
let executesOnly: Caller;
let flowId: string;

beforeAll(async () => {
  const owner = await newTenant();
  const keyWith = async (permissions: readonly string[]) => (await newKey(owner, { permissions })).call;
  executesOnly = await keyWith(['FLOWS:EXECUTE']);
  flowId = (await owner.call('POST', '/v1/flows', { body: { name: 'Inner', flowSteps: [] } })).body.id;
  for (const missing of new Set(Object.values(needed))) {
    const others = permissionNames.filter((held) => missing && !covers([held], missing));
    if (missing) without.set(missing, await keyWith(others));
  }
});

/** A step of the type that is not run: the caller may send it, or may not. */
function stepOf(type: StepTypeName) {
  const step = { type, name: type, enabled: false };
  if (type === 'conditional') return { ...step, config: { condition: 'true' } };
  if (type === 'map') return { ...step, config: { items: '[]', steps: [] } };
  if (type === 'loop') return { ...step, config: { while: 'false', maxIterations: 1, steps: [] } };
  if (type === 'reduce') {
    const chunk = { maxItems: 2 };
    const from = { recordType: 'thing' };
    return { ...step, config: { from, fields: ['name'], chunk, combine: 'tree', steps: [] } };
  }
  if (type === 'parallel') {
    return { ...step, config: { branches: ['a', 'b'].map((name) => ({ name, steps: [] })) } };
  }
  if (type === 'flow') return { ...step, config: { flowId } };
  const plain = stepConfigs[type].filter((config) => !JSON.stringify(config).includes('secret'));
  const [config] = fc.sample(plain, { numRuns: 1, seed: 1 });
  return { ...step, config };
}

const dispatch = async (call: Caller, step: object) => {
  const body = { flow: { name: 'Inline', steps: [step] }, options: { streamResponse: false } };
  const answer = await call('POST', '/v1/dispatch', { body });
  return { status: answer.status, details: answer.body.details };
};

test.each(stepTypeNames)('an inline %s requires the permission for what it does', async (type) => {
  const step = stepOf(type);
  const branch = { type: 'conditional', name: 'if', config: { condition: 'false', trueSteps: [step] } };
  const item = { type: 'map', name: 'each', config: { items: '[]', steps: [step] } };
  const permission = needed[type];
  for (const sent of [step, branch, item]) {
    const refusal = { status: 403, details: `Missing required permission: ${permission}` };
    // Every caller of a dispatch has FLOWS:EXECUTE.
    const isRefused = permission !== null && permission !== 'FLOWS:EXECUTE';
    const expected = isRefused ? refusal : { status: 200, details: undefined };
    expect(await dispatch(executesOnly, sent)).toEqual(expected);
    const lacking = isRefused && without.get(permission);
    if (lacking) expect(await dispatch(lacking, sent)).toEqual(expected);
  }
});
