import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { sandbox } from '../../../../shared/adapters/sandbox/sandbox.ts';
import { loadOnce } from '../../../../shared/core/concurrency/load-once.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { agentCapabilities } from '../../../../shared/domain/agents/agent-capabilities.ts';
import { acquireRefresh } from '../../../../shared/domain/agents/agent-cards.ts';
import { agentEditor } from '../../../../shared/domain/agents/agent-editor.ts';
import { agentStore } from '../../../../shared/domain/agents/agent-store.ts';
import { agentVersions } from '../../../../shared/domain/agents/agent-versions.ts';
import { agentExporter } from '../../../../shared/domain/agents/export-agent.ts';
import { commandLineLogins } from '../../../../shared/domain/api-keys/command-line-logins.ts';
import { conversationStore } from '../../../../shared/domain/conversations/conversation-store.ts';
import { messagePages } from '../../../../shared/domain/conversations/message-pages.ts';
import { accountCheck } from '../../../../shared/domain/flows/analysis/account-check.ts';
import { memoryPort } from '../../../../shared/domain/memory/memory-adapter.ts';
import { productStore } from '../../../../shared/domain/products/product-store.ts';
import { bulkDeleter } from '../../../../shared/domain/records/bulk/bulk-delete.ts';
import { bulkEditor } from '../../../../shared/domain/records/bulk/bulk-edit.ts';
import { csvExporter } from '../../../../shared/domain/records/csv/export-csv.ts';
import { filterPreviewer } from '../../../../shared/domain/records/preview-filter.ts';
import {
  fieldValues,
  recordTypes,
  schemaDiscovery,
} from '../../../../shared/domain/records/schema-discovery.ts';
import { toolStore } from '../../../../shared/domain/tools/tool-store.ts';
import { agentExecutions } from '../../../../shared/execution/agent-runs/agent-execution.ts';
import { acquireRunLease } from '../../../../shared/execution/batches/run-lease.ts';
import { resumeIfStalled } from '../../../../shared/execution/batches/stalled-batches.ts';
import { endExpiredExecution } from '../../../../shared/execution/dispatch/end-execution.ts';
import { flowShards, runFlowShard } from '../../../../shared/execution/runs/checkpoint.ts';
import { admitAddress } from '../../../../shared/platform/auth/request-limiter.ts';
import { postponeCleanup } from '../../../../shared/platform/cleanup/tombstone.ts';
import { answerStore } from '../../../../shared/platform/http/idempotency/kept-answers.ts';
import { auditLog } from '../../../../shared/platform/identity/audit.ts';
import { loginBody, newProof } from '../../../support/command-line/command-line-logins.ts';
import { a2aPatterns } from './a2a-patterns.ts';
import type { Pattern } from './access-pattern.ts';
import { type AccessWorld, accessKey, accessWorld, keyPrincipal, sessionPrincipal } from './access-world.ts';
import { agentRunPatterns, agentWithRuns } from './agent-run-patterns.ts';
import { chatPatterns, longConversation } from './chat-patterns.ts';
import { deliveryPatterns } from './delivery-patterns.ts';
import { mcpPatterns } from './mcp-patterns.ts';
import { productPatterns } from './product-patterns.ts';
import { runListPatterns } from './run-list-patterns.ts';
import { runNumberPatterns } from './run-number-patterns.ts';
import { schedulePatterns } from './schedule-patterns.ts';
import { telemetryPatterns } from './telemetry-patterns.ts';
import { toolRunPatterns } from './tool-run-patterns.ts';
import { tracePatterns } from './trace-patterns.ts';

const created = { status: 201, contentType: 'application/json', body: '{}' };
const first = ({ created }: AccessWorld) => created[0]?.id ?? '';
const withKey = async (world: AccessWorld) => {
  const key = accessKey();
  await world.keys.create(sessionPrincipal(world.tenant), key);
  return key;
};
const { codeVerifier, challenge } = newProof();
const allowedLogin = ({ scope, tenant }: AccessWorld) =>
  commandLineLogins(scope).allow(sessionPrincipal(tenant), loginBody(challenge));
/** Twenty runs, five in each partition of the flow's results: what a query costs depends on how many lie there. */
const withRun = async (world: AccessWorld) => {
  for (;;) {
    const batch = await world.newBatch();
    const shards = Map.groupBy(world.messagesOf(batch), ({ runId }) => runFlowShard(runId));
    const evenly = [...shards.values()].flatMap((messages) => messages.slice(0, 5));
    if (evenly.length < 5 * flowShards) continue;
    await world.run(evenly);
    return batch;
  }
};

const withSecret = ({ secrets, tenant }: AccessWorld) =>
  secrets.create(sessionPrincipal(tenant), { key: 'KEY', value: 'the value of it' });

const model = { provider: 'openai', modelId: 'gpt-5-mini' } as const;
const withConfig = async ({ modelConfigs, tenant }: AccessWorld) =>
  (await modelConfigs.create(sessionPrincipal(tenant), model)).config;
const ownKey = { provider: 'openai', name: 'own', apiKey: 'the-own-key' } as const;
const withProviderKey = ({ providerKeys, tenant }: AccessWorld) =>
  providerKeys.create(sessionPrincipal(tenant), ownKey);

const stepWithSecret = {
  id: 's',
  type: 'transform-data',
  name: 's',
  order: 0,
  enabled: true,
  config: { script: 'secrets.KEY' },
};

const newTool = ({ scope, owner }: AccessWorld, config: object = { code: '1' }) =>
  toolStore(scope).create(owner, {
    name: 'A tool',
    description: 'x',
    toolType: 'custom',
    parametersSchema: {},
    config: { ...config },
  });

const vector = [1, 0];
const newMemory = async ({ scope }: AccessWorld, text = 'likes tea') =>
  (await memoryPort(scope).open('ada')).save({ text, vector, embeddingModel: 'openai/e' });

const newAgent = async (
  { scope, tenant, flow }: AccessWorld,
  primaryFlowId: string | null = flow.id,
  more: object = {},
) => {
  const given = { name: 'An agent', primaryFlowId, ...more };
  return (await agentEditor(scope).create(sessionPrincipal(tenant), given, sandbox(scope))).agent;
};
const externalAgent = (world: AccessWorld, refreshIntervalMinutes?: number) => {
  const externalConfig = { endpoint: 'https://a.example', refreshIntervalMinutes };
  return newAgent(world, null, { agentType: 'external', externalConfig });
};
const publishedAgent = async (world: AccessWorld) => {
  const agent = await newAgent(world, null);
  await agentVersions(world.scope).publishCurrent(agent.id);
  return agent;
};

const edit = { updates: { seen: true }, deleteFields: new Set<string>() };
const inTime = { dryRun: false, timeLeftMs: () => 29_000 };

/** Every way in which the stores ask the table, by the section of docs/access-patterns.md in which it stands. */
const sections: Record<string, Record<string, Pattern>> = {
  'Keys and limits': {
    'Key by its hash': {
      commands: 'GetItem',
      units: 1,
      run: async (world) => {
        const { hash } = await withKey(world);
        return () => world.credential(hash);
      },
    },
    'Count a key’s request': {
      commands: 'UpdateItem',
      units: 1,
      run: async (world) => {
        const key = await withKey(world);
        const ask = () => world.admit(keyPrincipal(key, world.tenant));
        await ask();
        return ask;
      },
    },
    'Count a session’s request': {
      commands: 'UpdateItem',
      units: 1,
      run: async (world) => {
        const ask = () => world.admit(sessionPrincipal(world.tenant));
        await ask();
        return ask;
      },
    },
    'Take an idempotency key': {
      commands: 'PutItem',
      units: 1,
      run:
        ({ scope }) =>
        () =>
          answerStore(scope).acquireOrFind(newId('key'), ''),
    },
    'Keep the answer of an idempotency key': {
      commands: 'PutItem',
      units: 1,
      run: async ({ scope }) => {
        const taken = await answerStore(scope).acquireOrFind(newId('key'), '');
        return async () => 'lock' in taken && taken.lock.keep(created);
      },
    },
    'Give an idempotency key back': {
      commands: 'UpdateItem',
      units: 1,
      run: async ({ scope }) => {
        const taken = await answerStore(scope).acquireOrFind(newId('key'), '');
        return async () => 'lock' in taken && taken.lock.release();
      },
    },
    'Repeat the answer of an idempotency key': {
      commands: 'PutItem, GetItem',
      // Local engines do not count a write that is refused; DynamoDB does.
      units: [1, 2],
      run: async ({ scope }) => {
        const name = newId('key');
        const taken = await answerStore(scope).acquireOrFind(name, '');
        if ('lock' in taken) await taken.lock.keep(created);
        return () => answerStore(scope).acquireOrFind(name, '');
      },
    },
    'Count an anonymous request': {
      commands: 'UpdateItem',
      units: 1,
      run: async ({ scope }) => {
        const ask = () => admitAddress(scope, '2001:db8::1');
        await ask();
        return ask;
      },
    },
    'Count the keys or secrets of a tenant': {
      commands: 'Query',
      units: 0.5,
      run: async (world) => {
        await withKey(world);
        return () => world.keys.assertRoom();
      },
    },
    'Create a key': {
      commands: 'TransactWriteItems',
      units: [2, 6],
      run:
        ({ keys, tenant }) =>
        () =>
          keys.create(sessionPrincipal(tenant), accessKey()),
    },
    'Allow a login of the command line': {
      commands: 'Query, TransactWriteItems',
      units: [2.5, 4.5],
      run: async (world) => {
        await withKey(world);
        return () => allowedLogin(world);
      },
    },
    'Get the key of a login': {
      commands: 'GetItem, Query, TransactWriteItems',
      units: [3.5, 9.5],
      run: async (world) => {
        await withKey(world);
        const { code } = await allowedLogin(world);
        return () => commandLineLogins(world.scope).redeem({ code, codeVerifier }, null);
      },
    },
    'Change a key': {
      commands: '2 GetItem, TransactWriteItems',
      units: [4, 6],
      run: async (world) => {
        const { id } = await withKey(world);
        return async () =>
          world.keys.update(sessionPrincipal(world.tenant), (await world.keys.get(id)).id, { name: 'x' });
      },
    },
    'Rotate a key': {
      commands: 'TransactWriteItems',
      units: [2, 8],
      run: async (world) => {
        const key = await withKey(world);
        const { hash, keyPrefix, searchHint } = accessKey();
        return () => world.keys.renew(sessionPrincipal(world.tenant), key, { hash, keyPrefix, searchHint });
      },
    },
    'Delete a key': {
      commands: 'TransactWriteItems',
      units: [2, 6],
      run: async (world) => {
        const key = await withKey(world);
        return () => world.keys.remove(sessionPrincipal(world.tenant), key);
      },
    },
    'Audit the reveal of a test key': {
      commands: 'PutItem',
      units: 1,
      run: async (world) => {
        const key = await withKey(world);
        return () => world.keys.noteRevealed(sessionPrincipal(world.tenant), key);
      },
    },
    'List keys': {
      commands: 'Query',
      units: 1,
      run: async (world) => {
        await withKey(world);
        return () => world.keys.list();
      },
    },
    'List the audit log of a month': {
      commands: 'Query',
      units: 0.5,
      run: async (world) => {
        const key = await withKey(world);
        const from = new Date();
        await world.keys.noteRevealed(sessionPrincipal(world.tenant), key);
        return () => auditLog(world.scope)({ limit: 10, from });
      },
    },
  },
  Secrets: {
    'List secrets': {
      commands: 'Query',
      units: 1,
      run: async (world) => {
        await withSecret(world);
        return () => world.secrets.list();
      },
    },
    'Get a secret': {
      commands: '2 GetItem',
      units: 2,
      run: async (world) => {
        const { id } = await withSecret(world);
        return () => world.secrets.get(id);
      },
    },
    'Secrets by their keys': {
      commands: 'BatchGetItem',
      units: 1,
      run: async (world) => {
        await withSecret(world);
        return () => world.secrets.byKeys(['KEY']);
      },
    },
    'Values of a run’s secrets': {
      commands: 'BatchGetItem',
      units: 1,
      run: async (world) => {
        await withSecret(world);
        return () => world.secretValues(['KEY']);
      },
    },
    'Create a secret': {
      commands: 'BatchGetItem, Query, PutItem, TransactWriteItems',
      units: [2, 7],
      run: (world) => () => withSecret(world),
    },
    'Rotate or describe a secret': {
      commands: '2 GetItem, TransactWriteItems',
      units: [4, 6],
      run: async (world) => {
        const { id } = await withSecret(world);
        return () => world.secrets.update(sessionPrincipal(world.tenant), id, { value: 'another value' });
      },
    },
    'Set two secrets together': {
      commands: 'BatchGetItem, Query, 2 TransactWriteItems',
      units: [4, 13],
      run:
        ({ secrets, tenant }) =>
        () =>
          secrets.setAll(
            sessionPrincipal(tenant),
            ['KEY', 'OTHER_KEY'].map((key) => ({ key, value: 'the value of it' })),
          ),
    },
    'Delete a secret': {
      commands: '2 GetItem, TransactWriteItems, Query',
      units: [3.5, 7, 6.5],
      run: async (world) => {
        const { id } = await withSecret(world);
        return () => world.secrets.remove(sessionPrincipal(world.tenant), id);
      },
    },
  },
  Models: {
    'List model configs, provider keys and budgets': {
      commands: 'Query',
      units: 1,
      run: async (world) => {
        await withConfig(world);
        return () => world.providerKeys.list();
      },
    },
    'Models of a run': {
      commands: 'Query',
      units: 1,
      run: async (world) => {
        await withConfig(world);
        return () => world.modelSelector();
      },
    },
    'Create a model config': {
      commands: 'Query, TransactWriteItems',
      units: [2, 7],
      run: (world) => () => withConfig(world),
    },
    'Change a model config, or make it the default': {
      commands: 'Query, TransactWriteItems',
      units: [3, 7],
      run: async (world) => {
        const { id } = await withConfig(world);
        return () => world.modelConfigs.update(sessionPrincipal(world.tenant), id, { isDefault: true });
      },
    },
    'Delete a model config': {
      commands: 'Query, TransactWriteItems',
      units: [3, 7],
      run: async (world) => {
        const { id } = await withConfig(world);
        return () => world.modelConfigs.remove(sessionPrincipal(world.tenant), id);
      },
    },
    'Store, change or delete a provider key': {
      commands: '2 Query, TransactWriteItems',
      units: [4, 8],
      run: async (world) => {
        const { id } = await withProviderKey(world);
        return () =>
          world.providerKeys.update(sessionPrincipal(world.tenant), id, { apiKey: 'another-value' });
      },
    },
  },
  'Setup links': {
    'Setup link by its token’s hash': {
      commands: 'GetItem',
      units: 1,
      run: async (world) => {
        const link = await world.newSetupLink(['KEY']);
        return () => world.setupLinks.findSetupLink(link);
      },
    },
    'Count a setup link’s request': {
      commands: 'UpdateItem',
      units: 1,
      run: async (world) => {
        const link = await world.newSetupLink(['KEY']);
        const ask = () => world.admit(link);
        await ask();
        return ask;
      },
    },
    'Create a setup link': {
      commands: 'TransactWriteItems',
      units: [2, 4],
      run:
        ({ newSetupLink }) =>
        () =>
          newSetupLink(['KEY']),
    },
    'Submit the last value of a setup link': {
      commands: 'GetItem, 2 BatchGetItem, Query, PutItem, TransactWriteItems',
      units: [4, 11],
      run: async (world) => {
        const link = await world.newSetupLink(['KEY']);
        const source = { type: 'manual' } as const;
        return () => world.intake.submit(link, { source, items: [{ key: 'KEY', value: 'the value of it' }] });
      },
    },
  },
  'MCP connections': {
    ...mcpPatterns,
  },
  Tools: {
    'Create a tool': {
      commands: 'PutItem',
      units: 3,
      indexes: 'GSI1, GSI2',
      run: (world) => () => newTool(world),
    },
    'Create a tool that names a secret': {
      commands: 'TransactWriteItems',
      units: [4, 8],
      indexes: 'GSI1, GSI2',
      run: (world) => () => newTool(world, { code: 'secrets.KEY' }),
    },
    'Get a tool': {
      commands: 'GetItem',
      units: 0.5,
      run: async (world) => {
        const { id } = await newTool(world);
        return () => toolStore(world.scope).get(id);
      },
    },
    'Tools by their ids': {
      commands: 'BatchGetItem',
      units: 0.5,
      run: async (world) => {
        const { id } = await newTool(world);
        return () => toolStore(world.scope).getMany([id]);
      },
    },
    'List tools': {
      commands: 'Query',
      units: 0.5,
      indexes: 'GSI1',
      run: async (world) => {
        await newTool(world);
        return () => toolStore(world.scope).list(world.page());
      },
    },
    'List tools of a type': {
      commands: 'Query',
      units: 0.5,
      indexes: 'GSI2',
      run: async (world) => {
        await newTool(world);
        return () => toolStore(world.scope).list({ ...world.page(), tool_type: 'custom' });
      },
    },
    'List the newest tool of each type': {
      commands: '7 Query',
      units: [0.5, 3.5],
      indexes: 'GSI2',
      run: async (world) => {
        await newTool(world);
        return () => toolStore(world.scope).list({ ...world.page(), distinct: 'tool_type' });
      },
    },
    'Change a tool': {
      commands: 'GetItem, PutItem',
      units: 3.5,
      indexes: 'GSI1, GSI2',
      run: async (world) => {
        const { id } = await newTool(world);
        return () => toolStore(world.scope).update(id, { name: 'Another' }, () => {});
      },
    },
    'Delete a tool': {
      commands: 'GetItem, TransactWriteItems',
      units: [7.5, 10.5],
      indexes: 'GSI1, GSI2',
      run: async (world) => {
        const { id } = await newTool(world);
        return () => toolStore(world.scope).remove(id);
      },
    },
    ...toolRunPatterns,
  },
  Memory: {
    'Open the memory of a profile': {
      commands: 'GetItem',
      units: 1,
      run: async (world) => {
        await newMemory(world);
        return () => memoryPort(world.scope).open('ada');
      },
    },
    'Save a memory': {
      commands: '3 GetItem, TransactWriteItems',
      units: [5, 9],
      run: async (world) => {
        await newMemory(world);
        return () => newMemory(world, 'lives in Oslo');
      },
    },
    'Nearest memories': {
      commands: 'BatchGetItem',
      units: 0.5,
      run: async (world) => {
        await newMemory(world);
        const memory = await memoryPort(world.scope).open('ada');
        return () => memory.nearest({ vector, session: undefined, limit: 10 });
      },
    },
    'New memories for a summary': {
      commands: 'Query, BatchGetItem',
      units: 1.5,
      run: async (world) => {
        await newMemory(world);
        const memory = await memoryPort(world.scope).open('ada');
        return () => memory.after(0, { session: undefined, limit: 10 });
      },
    },
    'Read and replace the summary of a memory': {
      commands: 'GetItem, PutItem',
      units: 2,
      run: async (world) => {
        await newMemory(world);
        const memory = await memoryPort(world.scope).open('ada');
        await memory.storeSummary({ text: 'tea', through: 1 }, undefined);
        return async () => {
          const stored = await memory.summary(undefined);
          await memory.storeSummary({ text: 'much tea', through: 2 }, stored);
        };
      },
    },
    'Clear the memory of a profile': {
      commands: '2 GetItem, PutItem, Query, BatchWriteItem, DeleteItem',
      units: 7,
      run: async (world) => {
        await newMemory(world);
        const memory = await memoryPort(world.scope).open('ada');
        return () => memory.clear();
      },
    },
  },
  'Flows and versions': {
    'Create a flow': { commands: 'PutItem', units: 3, indexes: 'GSI1, GSI2', run: ({ newFlow }) => newFlow },
    'Get a flow': {
      commands: 'GetItem',
      units: 0.5,
      run:
        ({ flows, flow }) =>
        () =>
          flows.get(flow.id),
    },
    'List flows': {
      commands: 'Query',
      units: 0.5,
      indexes: 'GSI1',
      run:
        ({ flows, page }) =>
        () =>
          flows.list(page()),
    },
    'Search flows': {
      commands: 'Query',
      units: 0.5,
      indexes: 'GSI1',
      run:
        ({ flows, page }) =>
        () =>
          flows.list({ ...page(), search: 'a flow' }),
    },
    'Change a flow': {
      commands: 'GetItem, PutItem',
      units: 3.5,
      indexes: 'GSI1, GSI2',
      run:
        ({ flows, flow }) =>
        () =>
          flows.update(flow.id, { name: 'Another' }),
    },
    'Look up the references of a flow': {
      commands: '2 BatchGetItem, 2 Query',
      units: [1.5, 2.5],
      indexes: 'GSI1, GSI2',
      run: (world) => {
        const config = (of: object) => ({ type: 'retrieve-record', name: 'r', config: of });
        const steps = [
          stepWithSecret,
          config({ recordType: 'even', recordName: 'record 0' }),
          config({ recordFilter: { type: 'odd' } }),
          config({ id: first(world) }),
        ];
        return () => accountCheck(world.scope)(steps, 'flowSteps', ['*']);
      },
    },
    'Update a flow’s last run': {
      commands: 'UpdateItem',
      units: 2,
      indexes: 'GSI1',
      run:
        ({ flows, flow }) =>
        () =>
          flows.markRun({ ...flow, lastRunAt: null }),
    },
    'Create a flow that names a secret': {
      commands: 'TransactWriteItems',
      units: [6, 10, 8],
      indexes: 'GSI1, GSI2',
      run:
        ({ flows, owner }) =>
        () =>
          flows.create(owner, { name: 'A flow', steps: [stepWithSecret] }),
    },
    'Delete a flow': {
      commands: 'GetItem, TransactWriteItems',
      units: [4.5, 7.5, 6.5],
      indexes: 'GSI1',
      run:
        ({ flows, flow }) =>
        () =>
          flows.remove(flow.id),
    },
    'Get a version': {
      commands: '2 GetItem',
      units: 1,
      run:
        ({ versions, flow, versionId }) =>
        () =>
          versions.get(flow.id, versionId),
    },
    'Get a version to run it': {
      commands: 'GetItem',
      units: 1,
      run:
        ({ versions, flow, versionId }) =>
        () =>
          versions.immutable(flow.id, versionId),
    },
    'Flow of a version': {
      commands: '2 GetItem, Query',
      units: 1.5,
      indexes: 'GSI2',
      run: async ({ versions, newFlow, versionId }) => {
        const other = await newFlow();
        return () => versions.get(other.id, versionId).catch(() => {});
      },
    },
    'Store a virtual version': {
      commands: 'PutItem',
      units: 3,
      indexes: 'GSI1, GSI2',
      run: ({ runVersions, flow }) => {
        const version = runVersions.createVirtual({ id: flow.id, number: 1 }, []);
        return () => runVersions.keep(version);
      },
    },
    'Upsert a flow that has not changed': {
      commands: '2 GetItem',
      units: 1.5,
      run: async ({ upsertFlow }) => {
        await upsertFlow();
        return upsertFlow;
      },
    },
    'List versions': {
      commands: 'GetItem, Query',
      units: 1,
      indexes: 'GSI1',
      run:
        ({ versions, flow }) =>
        () =>
          versions.list(flow.id),
    },
    'Publish the draft': {
      commands: 'GetItem, TransactWriteItems',
      units: [6.5, 8.5],
      indexes: 'GSI1, GSI2',
      run: async ({ versions, newFlow }) => {
        const { id } = await newFlow();
        return () => versions.publishDraft(id);
      },
    },
  },
  Agents: {
    'Create an agent': {
      commands: 'PutItem',
      units: 3,
      indexes: 'GSI1, GSI2',
      run: (world) => () => newAgent(world, null),
    },
    'Create an agent with a primary flow': {
      commands: 'GetItem, PutItem',
      units: 3.5,
      indexes: 'GSI1, GSI2',
      run: (world) => () => newAgent(world),
    },
    'Get an agent with a primary flow': {
      commands: '2 GetItem',
      units: 1,
      run: async (world) => {
        const { id } = await newAgent(world);
        const agents = agentStore(world.scope);
        return async () => agents.findPrimaryFlow(await agents.find(id));
      },
    },
    'List agents': {
      commands: 'Query, BatchGetItem',
      units: 6,
      indexes: 'GSI1',
      run: async (world) => {
        for (let count = 0; count < 10; count++) await newAgent(world);
        return () => agentStore(world.scope).list(world.page());
      },
    },
    'Create an agent with a credential': {
      commands: 'Query, PutItem, TransactWriteItems',
      units: [5, 10, 9.5],
      indexes: 'GSI1, GSI2',
      run: (world) => () =>
        newAgent(world, null, {
          config: {
            tools: {
              mcpServers: [
                { id: 'a', url: 'https://a.example', auth: { type: 'bearer', token: 'the token of it' } },
              ],
            },
          },
        }),
    },
    'Add a sub-agent to an agent': {
      commands: '2 GetItem, 2 BatchGetItem, TransactWriteItems',
      units: [11, 13, 11],
      indexes: 'GSI1, GSI2',
      run: async (world) => {
        const [one, other] = [await newAgent(world, null), await newAgent(world, null)];
        const given = { toolName: 'other', subAgentId: other.id };
        return () => agentCapabilities(world.scope).add(one.id, given, sandbox(world.scope));
      },
    },
    'Export an agent with a flow and a sub-agent': {
      commands: '3 BatchGetItem, 2 GetItem, Query',
      units: [3, 4],
      run: async (world) => {
        const [one, other] = [await newAgent(world), await publishedAgent(world)];
        const given = { toolName: 'other', subAgentId: other.id };
        await agentCapabilities(world.scope).add(one.id, given, sandbox(world.scope));
        return () => agentExporter(world.scope)(one.id);
      },
    },
    'Change an agent': {
      commands: 'GetItem, PutItem',
      units: 3.5,
      indexes: 'GSI1, GSI2',
      run: async (world) => {
        const { id } = await newAgent(world, null);
        return () =>
          agentEditor(world.scope).update(
            sessionPrincipal(world.tenant),
            id,
            { config: { seed: 1 } },
            sandbox(world.scope),
          );
      },
    },
    'Schedule refreshes of an agent’s card': {
      commands: 'GetItem, TransactWriteItems',
      units: [7.5, 10.5, 7.5],
      indexes: 'GSI1, GSI2',
      run: async (world) => {
        const { id } = await externalAgent(world);
        const changes = { externalConfig: { refreshIntervalMinutes: 60 } };
        return () =>
          agentEditor(world.scope).update(sessionPrincipal(world.tenant), id, changes, sandbox(world.scope));
      },
    },
    'Claim a due refresh of a card': {
      commands: '2 GetItem, PutItem',
      units: 4.5,
      indexes: 'GSI2',
      run: async (world) => {
        const { id } = await externalAgent(world, 60);
        return () => acquireRefresh(world.scope, id, new Date(Date.now() + 7_200_000));
      },
    },
    'Publish an agent': {
      commands: 'GetItem, TransactWriteItems',
      units: [5.5, 8.5],
      indexes: 'GSI1, GSI2',
      run: async (world) => {
        const { id } = await newAgent(world, null);
        return () => agentVersions(world.scope).publishCurrent(id);
      },
    },
    'Agent to run': {
      commands: '2 GetItem',
      units: 1,
      run: async (world) => {
        const { id } = await publishedAgent(world);
        return () => agentVersions(world.scope).toRun(id, { environment: 'production' });
      },
    },
    'List the versions of an agent': {
      commands: 'GetItem, Query',
      units: 1,
      indexes: 'GSI1',
      run: async (world) => {
        const { id } = await publishedAgent(world);
        return () => agentVersions(world.scope).list(id);
      },
    },
    'Update an agent’s last run': {
      commands: 'UpdateItem',
      units: 2,
      indexes: 'GSI1',
      run: async (world) => {
        const agent = await publishedAgent(world);
        return () => agentStore(world.scope).markRun(agent);
      },
    },
    'Delete an agent': {
      commands: 'GetItem, TransactWriteItems',
      units: [7.5, 10.5, 7.5],
      indexes: 'GSI1, GSI2',
      run: async (world) => {
        const { id } = await newAgent(world, null);
        return () => agentStore(world.scope).remove(id, async () => {});
      },
    },
    'Clean up after an agent': {
      commands: '5 Query, BatchWriteItem',
      units: [3.5, 9, 5],
      indexes: 'GSI1, GSI2',
      run: async (world) => {
        const { id } = await publishedAgent(world);
        await agentStore(world.scope).remove(id, async () => {});
        return () => world.clean(id);
      },
    },
  },
  Products: {
    ...productPatterns,
  },
  Schedules: {
    ...schedulePatterns,
  },
  'Deliveries of webhooks': {
    ...deliveryPatterns,
  },
  'Export of runs': {
    ...telemetryPatterns,
  },
  'Tasks of a2a surfaces': {
    ...a2aPatterns,
  },
  'Client tokens and conversations': {
    ...chatPatterns,
  },
  'Runs of agents': {
    ...agentRunPatterns,
  },
  Traces: {
    ...tracePatterns({ batchWithRuns: withRun }),
  },
  Records: {
    'Create a record': {
      commands: 'TransactWriteItems',
      units: [6, 8, 6],
      indexes: 'GSI1, GSI2',
      run:
        ({ records, owner }) =>
        () =>
          records.create(owner, { type: 'new', name: 'x', metadata: {}, messages: null }),
    },
    'Get a record': { commands: 'GetItem', units: 1, run: (world) => () => world.records.get(first(world)) },
    'List records': {
      manyRecords: true,
      commands: 'Query, BatchGetItem',
      units: 10.5,
      indexes: 'GSI1',
      run:
        ({ records, page }) =>
        () =>
          records.list({}, page()),
    },
    'List records of a type': {
      manyRecords: true,
      commands: 'Query, BatchGetItem',
      units: 10.5,
      indexes: 'GSI2',
      run:
        ({ records, page }) =>
        () =>
          records.list({ type: 'even' }, page()),
    },
    'Search records': {
      manyRecords: true,
      commands: 'Query, BatchGetItem',
      units: 3,
      indexes: 'GSI1',
      run:
        ({ records, page }) =>
        () =>
          records.list({ search: 'record 59' }, page()),
    },
    'Filter records by metadata': {
      manyRecords: true,
      commands: 'Query, BatchGetItem',
      units: 12.5,
      indexes: 'GSI2',
      run:
        ({ records, page }) =>
        () =>
          records.list({ type: 'even', metadata_keys: ['n'] }, page()),
    },
    'Newest record of each type': {
      manyRecords: true,
      commands: '4 Query, BatchGetItem',
      units: [4, 5.5],
      indexes: 'GSI1, GSI2',
      run:
        ({ records, page }) =>
        () =>
          records.list({ distinct: 'type' }, page()),
    },
    'Preview a filter': {
      manyRecords: true,
      commands: 'Query, BatchGetItem',
      units: 31,
      indexes: 'GSI2',
      run:
        ({ scope }) =>
        () =>
          filterPreviewer(scope)({ type: 'even', where: { field: 'n', op: 'lt', value: 9 } }),
    },
    'Export records': {
      manyRecords: true,
      commands: 'Query, 2 BatchGetItem',
      units: 61,
      indexes: 'GSI2',
      run:
        ({ scope }) =>
        async () => {
          const asked = { filters: { type: 'even' }, keys: undefined, isOver: () => false };
          return Array.fromAsync((await csvExporter(scope)(asked))?.chunks ?? []);
        },
    },
    'Record by type and name': {
      commands: 'GetItem, BatchGetItem',
      units: 2,
      run:
        ({ records, page }) =>
        () =>
          records.list({ type: 'even', name: 'record 0' }, page()),
    },
    'Change a record’s values': {
      commands: 'UpdateItem',
      units: 1,
      run: (world) => () => world.records.update(first(world), { metadata: { changed: true } }),
    },
    'Rename a record': {
      commands: 'GetItem, TransactWriteItems',
      units: 9,
      indexes: 'GSI1, GSI2',
      run: (world) => () => world.records.update(first(world), { name: 'renamed' }),
    },
    'Upsert a record': {
      commands: 'GetItem, UpdateItem',
      units: 2,
      run:
        ({ records, owner }) =>
        () =>
          records.upsert({ ...owner, type: 'even', name: 'record 0', metadata: { n: 1 } }),
    },
    'Find a record by a filter': {
      manyRecords: true,
      commands: 'Query, BatchGetItem',
      units: [15, 31],
      indexes: 'GSI2',
      run:
        ({ recordsPort }) =>
        () =>
          recordsPort.find({ type: 'even', filter: { field: 'name', op: 'isSet' } }),
    },
    'Merge metadata': {
      commands: 'BatchGetItem, UpdateItem',
      units: 2,
      run: (world) => () => world.recordsPort.update({ id: first(world) }, { seen: true }, 'merge'),
    },
    'Delete a record': {
      commands: 'GetItem, TransactWriteItems',
      units: [8, 13, 10],
      indexes: 'GSI1, GSI2',
      run: (world) => () => world.records.remove(first(world)),
    },
    'Edit records by a filter': {
      manyRecords: true,
      commands: 'Query, BatchGetItem, 2 TransactWriteItems',
      units: [35, 151, 91],
      indexes: 'GSI2',
      run:
        ({ scope }) =>
        () =>
          bulkEditor(scope)({ recordFilter: { type: 'even' } }, edit, inTime),
    },
    'Edit records by conditions': {
      manyRecords: true,
      commands: 'Query, BatchGetItem, UpdateItem',
      units: 63,
      indexes: 'GSI1',
      run: ({ scope }) => {
        const conditions = [{ field: 'n', operator: 'equals' as const, value: 7 }];
        return () => bulkEditor(scope)({ conditions }, edit, inTime);
      },
    },
    'Edit records by their ids': {
      commands: 'BatchGetItem, UpdateItem',
      units: 2,
      run: (world) => () => bulkEditor(world.scope)({ recordIds: [first(world)] }, edit, inTime),
    },
    'Delete records by their ids': {
      commands: 'BatchGetItem, TransactWriteItems',
      units: [10, 13, 10],
      indexes: 'GSI1, GSI2',
      run: (world) => () => bulkDeleter(world.scope)([first(world)], () => 29_000),
    },
    'Discover the fields of a type': {
      manyRecords: true,
      commands: '2 Query, BatchGetItem',
      units: 32,
      indexes: 'GSI2',
      run:
        ({ scope }) =>
        () =>
          schemaDiscovery(scope)('even', 100),
    },
    'List the types of records': {
      manyRecords: true,
      commands: 'Query',
      units: [1, 2, 1.5],
      indexes: 'GSI1',
      run:
        ({ scope }) =>
        () =>
          recordTypes(scope)(undefined, inTime.timeLeftMs),
    },
    'Count the values of a field': {
      manyRecords: true,
      commands: 'Query, BatchGetItem',
      units: 31,
      indexes: 'GSI2',
      run:
        ({ scope }) =>
        () =>
          fieldValues(scope)({ type: 'even', field: 'n', limit: 50 }, inTime.timeLeftMs),
    },
  },
  'Batches and runs': {
    'Create a batch': {
      commands: 'PutItem',
      units: 3,
      indexes: 'GSI1, GSI2',
      run: ({ newBatch }) => newBatch,
    },
    'Create a batch of named records': {
      commands: 'TransactWriteItems',
      units: [6, 8, 6],
      indexes: 'GSI1, GSI2',
      run: (world) => () => world.newBatch([first(world)]),
    },
    'Start a batch within its tenant’s share': {
      commands: 'GetItem, TransactWriteItems',
      units: [7, 9, 7],
      indexes: 'GSI1, GSI2',
      run: (world) => () => world.startBatch(10),
    },
    'Start a batch when the list is full': {
      commands: 'GetItem, 2 BatchGetItem, TransactWriteItems',
      units: [12, 66, 62],
      indexes: 'GSI1, GSI2',
      run: async (world) => {
        for (let n = 0; n < 5; n++) await world.startBatch(10);
        return () => world.startBatch(10);
      },
    },
    'Named records to plan': {
      commands: 'GetItem',
      units: 1,
      run: async (world) => {
        const batch = await world.newBatch([first(world)]);
        return () => world.batches.recordIds(batch);
      },
    },
    'Latest batches': {
      commands: 'Query, BatchGetItem',
      units: [0.5, 10.5, 5.5],
      indexes: 'GSI1',
      run: async ({ newBatch, batches }) => {
        await newBatch();
        return () => batches.latest(50);
      },
    },
    'Status of a batch': {
      manyRecords: true,
      commands: 'GetItem, BatchGetItem',
      units: [2, 11],
      run: async (world) => {
        const { id } = await withRun(world);
        return async () => world.batches.settleBatch(await world.batches.get(id));
      },
    },
    'Cancel a batch': {
      manyRecords: true,
      commands: '2 GetItem, BatchGetItem, TransactWriteItems',
      units: [8, 18, 17.5],
      indexes: 'GSI1, GSI2',
      run: async (world) => {
        const { id } = await withRun(world);
        return () => world.batches.stop(id, 'cancelled');
      },
    },
    'Records to plan': {
      manyRecords: true,
      commands: 'Query',
      units: 1,
      indexes: 'GSI2',
      run:
        ({ planner }) =>
        () =>
          planner.listRecordsOfType('even', { limit: 1_000 }),
    },
    'Finish planning': {
      commands: 'UpdateItem',
      units: 3,
      indexes: 'GSI1, GSI2',
      run: async ({ batches, newBatch }) => {
        const { id } = await newBatch();
        return () => batches.finishPlanning(id, 61);
      },
    },
    'Run one record': {
      commands: 'BatchGetItem, TransactWriteItems',
      units: [7, 9],
      indexes: 'GSI1',
      run: async ({ newBatch, messagesOf, run }) => {
        const [, message] = messagesOf(await newBatch());
        // So that the worker knows the version, as a warm one does.
        await run(messagesOf(await newBatch()).slice(0, 1));
        return () => run(message ? [message] : []);
      },
    },
    'Run five records': {
      commands: 'BatchGetItem, TransactWriteItems',
      units: [9, 29],
      indexes: 'GSI1',
      run: async ({ newBatch, messagesOf, run }) => {
        await run(messagesOf(await newBatch()).slice(0, 1));
        const batch = await newBatch();
        return () => run(messagesOf(batch).slice(0, 5));
      },
    },
    'Take a run for a later delivery': {
      commands: 'UpdateItem',
      units: 1,
      run:
        ({ scope }) =>
        () =>
          acquireRunLease(scope, { runId: scope.newId('exec'), deliveries: 2, firstAt: 0 }, Date.now()),
    },
    'Receive a message again': {
      commands: 'BatchGetItem',
      units: [3, 4],
      run: async ({ newBatch, messagesOf, run }) => {
        const batch = await newBatch();
        const messages = messagesOf(batch).slice(0, 1);
        await run(messages);
        return () => run(messages);
      },
    },
    'Step results of a flow': {
      manyRecords: true,
      commands: '5 Query, GetItem, BatchGetItem',
      units: [8, 9],
      indexes: 'GSI1',
      run: async (world) => {
        await withRun(world);
        return () => world.results.listByFlow(world.flow.id, world.resultPage());
      },
    },
    'Step results of a record': {
      manyRecords: true,
      commands: '2 Query, GetItem, BatchGetItem',
      units: [2.5, 3],
      run: async (world) => {
        await withRun(world);
        return () => world.results.listByRecord(first(world), world.resultPage());
      },
    },
    'Store the result of a model call': {
      commands: 'TransactWriteItems',
      units: [6, 9],
      indexes: 'GSI1',
      run: async (world) => {
        const log = world.openLog(first(world));
        await log.add(world.modelResult());
        return () => log.flush();
      },
    },
    'Count the model calls of a run that is not stored': {
      commands: 'UpdateItem',
      units: [1, 1],
      run: async (world) => () => world.countCalls(),
    },
    'Model usage of a month': {
      commands: 'Query',
      units: [0.5, 0.5],
      run: async (world) => {
        const log = world.openLog(first(world));
        await log.add(world.modelResult());
        await log.flush();
        const month = new Date().toISOString().slice(0, 7);
        return () => world.usageOf(null, month, month);
      },
    },
    'Costs of a record': {
      commands: '2 Query',
      units: [1, 1.5],
      run: async (world) => {
        const log = world.openLog(first(world));
        await log.add(world.modelResult());
        await log.flush();
        return () => world.costsOf(first(world));
      },
    },
    'Results of a record': {
      manyRecords: true,
      commands: '2 Query, BatchGetItem',
      units: [1.5, 2],
      run: async (world) => {
        await withRun(world);
        return () => world.runResults(first(world), world.runPage());
      },
    },
    'Delete a result': {
      manyRecords: true,
      commands: 'Query, GetItem, TransactWriteItems',
      units: [6, 12, 9],
      indexes: 'GSI1',
      run: async (world) => {
        const runId = world.runOf(first(world), await withRun(world));
        return () => world.removeResult(first(world), runId);
      },
    },
    'Batches to check': {
      commands: '4 Query',
      units: 2,
      indexes: 'GSI2',
      run: async (world) => {
        await world.standingInSweep('BATCH');
        return () => world.dueForSweep('BATCH');
      },
    },
    'Check an unfinished batch': {
      manyRecords: true,
      commands: 'GetItem, BatchGetItem, UpdateItem',
      units: [5, 14],
      indexes: 'GSI2',
      run: async (world) => {
        const { id } = await withRun(world);
        return () => resumeIfStalled(world.scope, id, new Date());
      },
    },
    'Cards to refresh': {
      commands: '4 Query',
      units: 2,
      indexes: 'GSI2',
      run: async (world) => {
        await world.standingInSweep('CARD');
        return () => world.dueForSweep('CARD');
      },
    },
    'Abandoned dispatched runs': {
      commands: '4 Query',
      units: 2,
      indexes: 'GSI2',
      run: async (world) => {
        await world.standingInSweep('EXECUTION');
        return () => world.dueForSweep('EXECUTION');
      },
    },
    'End an abandoned run': {
      commands: '2 GetItem, Query, BatchGetItem, TransactWriteItems',
      units: [10, 14, 12.5],
      indexes: 'GSI1, GSI2',
      run: async (world) => {
        const id = await world.abandonedRun(first(world));
        return () => endExpiredExecution(world.scope, id);
      },
    },
    'Deletions to clean up after': {
      commands: '4 Query',
      units: 2,
      indexes: 'GSI1',
      run: async (world) => {
        await world.deletedLongAgo();
        return () => world.unfinishedCleanups();
      },
    },
    'Postpone a clean-up that failed': {
      commands: 'GetItem, UpdateItem',
      units: [3, 5, 3],
      indexes: 'GSI1',
      run: async (world) => {
        await world.tombstone(world.flow.id);
        return () => postponeCleanup(world.scope, world.flow.id);
      },
    },
    'Confirm a clean-up after a flow': {
      commands: 'UpdateItem',
      units: 2,
      indexes: 'GSI1',
      run: async (world) => {
        await world.tombstone(world.flow.id);
        return () => world.confirmCleaned(world.flow.id);
      },
    },
    'Confirm a clean-up after a record': {
      commands: 'BatchWriteItem',
      units: 2,
      indexes: 'GSI1',
      run: async (world) => {
        await world.tombstone(first(world));
        return () => world.confirmCleaned(first(world));
      },
    },
    'Clean up after a flow': {
      manyRecords: true,
      commands: '8 Query, 5 BatchWriteItem',
      units: [45.5, 49, 46.5],
      indexes: 'GSI1, GSI2',
      run: async (world) => {
        await withRun(world);
        await world.flows.remove(world.flow.id);
        return () => world.clean(world.flow.id);
      },
    },
    'Clean up after a record': {
      manyRecords: true,
      commands: 'Query, BatchWriteItem',
      units: 2.5,
      indexes: 'GSI1',
      run: async (world) => {
        await withRun(world);
        await world.records.remove(first(world));
        return () => world.clean(first(world));
      },
    },
    'Insert a tombstone': {
      commands: 'PutItem',
      units: 2,
      indexes: 'GSI1',
      run: (world) => () => world.tombstone(world.flow.id),
    },
  },
  'List and numbers of runs, and feedback': {
    ...runListPatterns,
    ...runNumberPatterns,
  },
};
const patterns: Record<string, Pattern> = Object.assign({}, ...Object.values(sections));

const hourMs = 3_600_000;
// Numbers are kept by the hour: what begins in one and ends in the next costs more. No test here takes five seconds.
beforeEach(async () => {
  const leftMs = hourMs - (Date.now() % hourMs);
  if (leftMs < 5_000) await sleep(leftMs + 1);
});

test.each(Object.entries(patterns))(
  '%s',
  async (_name, { commands, units, indexes = '', readsNothing, manyRecords, run }) => {
    const world = await accessWorld(manyRecords ? 60 : 2);
    const work = await run(world);
    // A change in the millisecond of the change before has the same time, and leaves the indexes alone.
    await sleep(2);
    const used = await world.measure(work);
    expect(used).toMatchObject({ commands, ...((!readsNothing || used.indexes !== '') && { indexes }) });
    expectUnits(used.units, units);
  },
);

function expectUnits(actual: number, expected: Pattern['units']) {
  const [least = 0, most = least, aws = most] = [expected].flat();
  expect(aws).toBeGreaterThanOrEqual(least);
  expect(aws).toBeLessThanOrEqual(most);
  expect(actual).toBeGreaterThanOrEqual(least);
  expect(actual).toBeLessThanOrEqual(most);
}

/** As DynamoDB counts, not a local engine. */
const unitsOfPattern = ({ units }: Pattern) => [units].flat().at(-1);

test('docs/access-patterns.md has what is measured; `vitest -u` writes it', async () => {
  const row = ([name, pattern]: [string, Pattern]) =>
    `| ${name} | ${pattern.commands}${pattern.indexes ? ` (${pattern.indexes})` : ''} | ${unitsOfPattern(pattern)} |`;
  const tables = Object.entries(sections).map(([title, rows]) =>
    [
      `## ${title}`,
      '',
      '| Pattern | Commands (indexes) | Units |',
      '| --- | --- | --- |',
      ...Object.entries(rows).map(row),
    ].join('\n'),
  );
  const head = [
    '# Access patterns',
    'A test measures each pattern on a real engine and writes this table. [The data model](data-model.md#access-patterns) says what units are, and has notes.',
  ];
  const table = `${[...head, ...tables].join('\n\n')}\n`;
  await expect(table).toMatchFileSnapshot(join(import.meta.dirname, '../../../../docs/access-patterns.md'));
});

const pages: Record<string, (world: AccessWorld) => Promise<unknown>> = {
  records: ({ records, page }) => records.list({}, page()),
  'records of a type': ({ records, page }) => records.list({ type: 'even' }, page()),
  'records of a type, by their metadata': ({ records, page }) =>
    records.list({ type: 'odd', max_fields: 9 }, page()),
  flows: ({ flows, page }) => flows.list(page()),
  agents: (world) => agentStore(world.scope).list(world.page()),
  products: (world) => productStore(world.scope).list(world.page()),
  'step results of a flow': ({ results, flow, resultPage }) => results.listByFlow(flow.id, resultPage()),
  'step results of a record': (world) => world.results.listByRecord(first(world), world.resultPage()),
  'results of a record': (world) => world.runResults(first(world), world.runPage()),
};

/** What a page of each list costs, before and after all lists have grown. */
const costsOfPages = loadOnce(async () => {
  const world = await accessWorld();
  const { records, owner, newFlow, repeatRun } = world;
  await withRun(world);
  const grow = async () => {
    const metadata = {};
    const drafts = Array.from({ length: 100 }, () => ({
      type: 'even',
      name: accessKey().id,
      metadata,
      messages: null,
    }));
    await records.createMany(owner, drafts);
    for (let count = 0; count < 15; count++) await newFlow();
    for (let count = 0; count < 15; count++) await newAgent(world);
    for (let count = 0; count < 15; count++) await productStore(world.scope).create(owner, { name: 'p' });
    // A page of step results looks at a hundred index entries of each of the flow's four shards.
    await repeatRun(first(world), 600);
  };
  const costs = async () => {
    const each: Record<string, unknown> = {};
    for (const [name, read] of Object.entries(pages)) each[name] = await world.measure(() => read(world));
    return each;
  };
  await grow();
  const short = await costs();
  await grow();
  return { short, long: await costs() };
});

test.each(Object.keys(pages))('a page of %s costs the same however long the list is', async (name) => {
  const { short, long } = await costsOfPages();
  expect(long[name]).toEqual(short[name]);
});

test('a count of the results of a record ends after 1,000 and says so, in one Query', async () => {
  const world = await accessWorld();
  await withRun(world);
  const id = first(world);
  const list = () => world.runResults(id, world.runPage({ includeCount: 'true' }));
  await world.repeatRun(id, 1_050);
  const before = await world.measure(list);
  expect((await list()).pagination).toMatchObject({ total: 1_000, totalPages: 100, countIsMinimum: true });
  await world.repeatRun(id, 400);
  expect(await world.measure(list)).toEqual(before);
  expect(before.commands).toBe('2 Query, BatchGetItem');
});

test('a page of the executions of an agent costs the same however many it has, filtered or not', async () => {
  const world = await accessWorld();
  const { agentId, addRuns } = await agentWithRuns(world);
  const list = agentExecutions(world.scope);
  const costs = async () => {
    const { pagination } = await list(agentId, world.page());
    const queries = [{}, { cursor: pagination.nextCursor ?? '' }, { surfaceType: 'api' }];
    const used = [];
    for (const query of queries) {
      used.push(await world.measure(() => list(agentId, { ...world.page(), ...query })));
    }
    return used;
  };
  await addRuns(60);
  const short = await costs();
  await addRuns(120);
  expect(await costs()).toEqual(short);
});

test('a conversation of 1,000 messages opens with the requests and the units of one page', async () => {
  const world = await accessWorld();
  const [short, long] = [await longConversation(world, 60), await longConversation(world, 1_000)];
  const open = (id: string, limit: number) =>
    world.measure(async () => {
      const conversation = await conversationStore(world.scope).find(id);
      return messagePages(world.scope).readBefore(conversation, { limit });
    });
  expect(await open(long.id, 50)).toEqual(await open(short.id, 50));
});

const sourcesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => join(parentPath, name));

test('only migrations scan, and only shared/platform/data sends commands to DynamoDB', () => {
  const sources = [...sourcesIn('shared'), ...sourcesIn('functions')];
  expect(sources.length).toBeGreaterThan(100);
  for (const path of sources) {
    const text = readFileSync(path, 'utf8');
    expect(text, path).not.toMatch(/PartiQL|ExecuteStatement|dynamodb:Scan/);
    if (/ScanCommand/.test(text)) expect(path).toBe('shared/platform/data/walk.ts');
    const sends = /\b(Scan|Get|Put|Update|Delete|Query|BatchGet|BatchWrite|Transact\w+)Command\b/.test(text);
    if (sends) expect(path).toMatch(/^shared\/platform\/data\//);
  }
});
