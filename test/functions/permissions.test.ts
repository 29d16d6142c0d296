import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { permissionNames } from '../../shared/platform/identity/permissions.ts';
import { refusalBody } from '../support/stack/errors.ts';
import { newKey } from '../support/stack/keys.ts';
import { examplePath } from '../support/stack/paths.ts';
import { newTenant, type Tenant } from '../support/stack/stack.ts';

const guarded = (endpoints as readonly AnyEndpoint[]).filter(({ permission }) => permission !== 'public');
const named = guarded.map((endpoint) => [endpoint.id, endpoint] as const);

const resources: Record<string, string> = {
  'api-keys': 'API_KEYS',
  flows: 'FLOWS',
  'flow-versions': 'FLOWS',
  batches: 'FLOWS',
  dispatch: 'FLOWS',
  records: 'RECORDS',
  imports: 'RECORDS',
  secrets: 'SECRETS',
  'model-configs': 'MODELS',
  'provider-keys': 'MODELS',
  tools: 'TOOLS',
  'tool-runs': 'TOOLS',
  agents: 'AGENTS',
  'agent-versions': 'AGENTS',
  'agent-runs': 'AGENTS',
  'agent-executions': 'AGENTS',
  products: 'PRODUCTS',
  surfaces: 'PRODUCTS',
  'surface-keys': 'PRODUCTS',
  schedules: 'PRODUCTS',
  'surface-runs': 'PRODUCTS',
  'surface-mcp': 'PRODUCTS',
  'surface-a2a': 'PRODUCTS',
  'client-tokens': 'CLIENT_TOKENS',
  conversations: 'CONVERSATIONS',
  'mcp-connections': 'SECRETS',
  telemetry: 'TELEMETRY',
  budgets: 'BUDGETS',
  alerts: 'ALERTS',
};

const readsSomething = 'RECORDS:READ or FLOWS:READ or AGENTS:READ or TOOLS:READ';

const workspaceTakes = (action: string) =>
  ['FLOWS', 'AGENTS', 'TOOLS', 'MODELS', 'PRODUCTS', 'BUDGETS']
    .map((group) => `${group}:${action}`)
    .join(' or ');

/** Where the rule does not say it: GET needs READ, the others WRITE. */
const exceptions: Record<string, string> = {
  // What is exported decides which of them is needed.
  'exports.create': readsSomething,
  'exports.list': readsSomething,
  'exports.get': readsSomething,
  'exports.cancel': readsSomething,
  // What an import says of its rows is for who may write them.
  'imports.list': 'RECORDS:WRITE',
  'imports.get': 'RECORDS:WRITE',
  'imports.problems': 'RECORDS:WRITE',
  // Each operation that it calls checks the credential itself.
  'api-mcp.serve': 'authenticated',
  'batches.run-flow': 'FLOWS:EXECUTE',
  'batches.cancel': 'FLOWS:EXECUTE',
  'batches.retry': 'FLOWS:EXECUTE',
  'waits.list': 'FLOWS:READ or AGENTS:READ',
  'waits.claim': 'FLOWS:EXECUTE or AGENTS:EXECUTE',
  'waits.release': 'FLOWS:EXECUTE or AGENTS:EXECUTE',
  'waits.reassign': 'FLOWS:EXECUTE or AGENTS:EXECUTE',
  'waits.remind': 'FLOWS:EXECUTE or AGENTS:EXECUTE',
  'waits.answer': 'FLOWS:EXECUTE or AGENTS:EXECUTE',
  'waits.answer-many': 'FLOWS:EXECUTE or AGENTS:EXECUTE',
  'dispatch.retry': 'FLOWS:EXECUTE or AGENTS:EXECUTE or TOOLS:EXECUTE',
  'flows.recompute': 'FLOWS:EXECUTE',
  'batches.forecast': 'FLOWS:EXECUTE',
  // Which one depends on who answers.
  'openai.complete-chat': 'FLOWS:EXECUTE or AGENTS:EXECUTE',
  'openai.respond': 'FLOWS:EXECUTE or AGENTS:EXECUTE',
  'openai.list-models': 'FLOWS:EXECUTE or AGENTS:EXECUTE',
  'openai.get-model': 'FLOWS:EXECUTE or AGENTS:EXECUTE',
  'openai.embed': 'FLOWS:EXECUTE',
  'dispatch.run': 'FLOWS:EXECUTE',
  'dispatch.resume': 'FLOWS:EXECUTE',
  'dispatch.approve': 'FLOWS:EXECUTE',
  'dispatch.continue': 'FLOWS:EXECUTE',
  'agent-runs.execute': 'AGENTS:EXECUTE',
  'agent-runs.resume': 'AGENTS:EXECUTE',
  'agent-runs.approve': 'AGENTS:EXECUTE',
  'agent-runs.cancel': 'AGENTS:EXECUTE',
  'flows.run-on-record-type': 'FLOWS:EXECUTE',
  'records.preview-filter': 'RECORDS:READ',
  'secrets.check': 'SECRETS:READ',
  'model-usage.get': 'ANALYTICS:READ',
  // Which one it needs depends on the kind of the run.
  'run-metrics.get': 'FLOWS:READ or AGENTS:READ or TOOLS:READ',
  'run-feedback.create': 'FLOWS:EXECUTE or AGENTS:EXECUTE or TOOLS:EXECUTE',
  'run-feedback.list-of-run': 'FLOWS:READ or AGENTS:READ or TOOLS:READ',
  'run-feedback.list': 'FLOWS:READ or AGENTS:READ or TOOLS:READ',
  'run-feedback.delete': 'FLOWS:WRITE or AGENTS:WRITE or TOOLS:WRITE',
  'audit-log.list': '*',
  // The documents list no 403 for these.
  'flows.get': 'authenticated',
  'usage-limits.get': 'authenticated',
  'api-keys.list': 'authenticated',
  'api-keys.options': 'authenticated',
  'api-keys.analytics': 'authenticated',
  'api-keys.get': 'authenticated',
  // Its holder may end it.
  'api-keys.delete-self': 'authenticated',
  'api-keys.get-analytics': 'authenticated',
  'model-configs.available': 'authenticated',
  'model-configs.grouped': 'authenticated',
  'model-configs.search-capable': 'authenticated',
  'model-configs.search-configured': 'authenticated',
  'provider-keys.list': 'authenticated',
  'agents.fetch-agent-card': 'authenticated',
  'api-keys.reveal': 'API_KEYS:WRITE',
  'surface-keys.reveal': 'PRODUCTS:WRITE',
  // Which permission depends on what the item runs.
  'surface-runs.run': 'authenticated',
  'surface-a2a.call-rpc': 'authenticated',
  'surface-a2a.send-message': 'authenticated',
  'surface-a2a.list-tasks': 'authenticated',
  'surface-a2a.get-task': 'authenticated',
  'surface-a2a.change-task': 'authenticated',
  'surface-a2a.extended-card': 'authenticated',
  'surface-a2a.add-push-config': 'authenticated',
  'surface-a2a.list-push-configs': 'authenticated',
  'surface-a2a.get-push-config': 'authenticated',
  'surface-a2a.delete-push-config': 'authenticated',
  'surfaces.document': 'PRODUCTS:EXECUTE',
  'surface-mcp.info': 'PRODUCTS:EXECUTE',
  // Of the kinds that the caller may read.
  'runs.list': 'FLOWS:READ or AGENTS:READ or TOOLS:READ',
  'runs.get': 'FLOWS:READ or AGENTS:READ or TOOLS:READ',
  'runs.trace': 'FLOWS:READ or AGENTS:READ or TOOLS:READ',
  'runs.answer': 'FLOWS:EXECUTE',
  'runs.cancel': 'FLOWS:EXECUTE or AGENTS:EXECUTE or TOOLS:EXECUTE',
  // Which ones depends on what the document has.
  'workspace.get': workspaceTakes('READ'),
  'workspace.plan': workspaceTakes('READ'),
  'workspace.apply': workspaceTakes('WRITE'),
  'tool-runs.execute': 'TOOLS:EXECUTE',
  'tool-runs.test': 'TOOLS:EXECUTE',
};

/** The second permission that an endpoint needs. */
const seconds: Record<string, string> = {
  'surface-keys.create': 'PRODUCTS:EXECUTE',
  // The name in the path is one of a model.
  'openai.get-model': 'FLOWS:EXECUTE',
  'schedules.update': 'FLOWS:EXECUTE',
  'schedules.delete': 'FLOWS:EXECUTE',
  'schedules.run-now': 'FLOWS:EXECUTE',
  'schedules.pause': 'FLOWS:EXECUTE',
  'schedules.resume': 'FLOWS:EXECUTE',
};

const needed = ({ id, method }: AnyEndpoint) =>
  exceptions[id] ?? `${resources[String(id.split('.')[0])]}:${method === 'GET' ? 'READ' : 'WRITE'}`;

/** What the contract says, in other words than the code does. */
const allows = (held: string, permission: string) =>
  permission === 'authenticated' ||
  held === '*' ||
  permission
    .split(' or ')
    .some((each) => held === each || (held.endsWith(':*') && each.startsWith(held.slice(0, -1))));

type Caller = Tenant['call'];
interface Callers {
  key: Caller;
  session: Caller;
}

let owner: Tenant;
beforeAll(async () => {
  owner = await newTenant();
});

/** A key and a session with these permissions, the same ones for all tests. */
function callersWith(permissions: string[]): Promise<Callers> {
  const id = permissions.join();
  const callers = made.get(id) ?? newCallers(permissions);
  made.set(id, callers);
  return callers;
}
const made = new Map<string, Promise<Callers>>();

const newCallers = async (permissions: string[]): Promise<Callers> => ({
  key: (await newKey(owner, { permissions })).call,
  session: (await newTenant({ permissions })).call,
});

/** Each that suffices alone. Of those that let in everybody, one that no endpoint asks for stands for all. */
const sufficientFor = (permission: string) =>
  permission === 'authenticated'
    ? ['*', 'PROMPTS:*']
    : permissionNames.filter((held) => allows(held, permission));

test.each(named)('%s: requires the permission that the contract’s rule assigns', (_id, endpoint) => {
  const hint = `${endpoint.id}: if its permission is right, add its group to \`resources\` or it to \`exceptions\` in this file`;
  expect([endpoint.permission].flat().join(' or '), hint).toBe(needed(endpoint));
});

test.each(named)(
  '%s: each permission that suffices grants access, and all others together get an error that names the missing one',
  async (_id, endpoint) => {
    const ask = async (call: Caller): Promise<unknown> => {
      const { status, body } = await call(endpoint.method, examplePath(endpoint));
      // Refused before anybody looked at the permission.
      if (status === 503) return sleep(100).then(() => ask(call));
      return status === 401 || status === 403 ? { status, body } : 'let in';
    };
    const permission = needed(endpoint);
    const second = seconds[endpoint.id];
    const refusalFor = (missing: string) => ({ status: 403, body: refusalBody(endpoint, missing) });
    const refusal = refusalFor(permission);
    const others = permissionNames.filter((held) => !allows(held, permission));
    const sets = [...sufficientFor(permission).map((held) => [held]), others].filter(
      ({ length }) => length > 0,
    );
    const table = await Promise.all(
      sets.map(async (held) => {
        const callersFor = endpoint.id === 'api-keys.delete-self' ? newCallers : callersWith;
        const { key, session } = await callersFor(held);
        return [held, await ask(key), await ask(session)];
      }),
    );
    expect(table).toEqual(
      sets.map((held) => {
        const [first = ''] = held;
        const granted = second === undefined || allows(first, second) ? 'let in' : refusalFor(second);
        const bySession = held === others ? refusal : granted;
        return [held, endpoint.sessionOnly ? refusal : bySession, bySession];
      }),
    );
  },
);

test.each(named.filter(([id]) => id in seconds))(
  '%s: a session whose token has the whole permission group, and the second permission, is authorized',
  async (id, endpoint) => {
    const group = `${String(endpoint.permission).split(':')[0]}:*`;
    const { session } = await callersWith([group, String(seconds[id])]);
    const { status } = await session(endpoint.method, examplePath(endpoint));
    expect([401, 403]).not.toContain(status);
  },
);

test('a key with all permissions can do everything except manage API keys and reveal keys, which only sessions can do', () => {
  const sessionOnly = guarded.filter((endpoint) => endpoint.sessionOnly).map(({ id }) => id);
  expect(sessionOnly.toSorted()).toEqual([
    ...['allow-login', 'create', 'delete', 'regenerate', 'reveal', 'update'].map(
      (verb) => `api-keys.${verb}`,
    ),
    'surface-keys.reveal',
  ]);
});
