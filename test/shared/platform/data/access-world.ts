import * as z from 'zod';
import { newId } from '../../../../shared/core/ids.ts';
import { apiKeyStore } from '../../../../shared/domain/api-keys/api-key-store.ts';
import { flowStore } from '../../../../shared/domain/flows/flow-store.ts';
import { type LoadedVersion, versionStore } from '../../../../shared/domain/flows/version-store.ts';
import { configStore } from '../../../../shared/domain/model-configs/config-store.ts';
import { providerKeyStore } from '../../../../shared/domain/model-configs/provider-key-store.ts';
import { modelSelector } from '../../../../shared/domain/model-configs/select-model.ts';
import { createModelCall } from '../../../../shared/domain/model-usage/model-calls.ts';
import { usageWrites } from '../../../../shared/domain/model-usage/usage.ts';
import { usageMonths } from '../../../../shared/domain/model-usage/usage-report.ts';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import { recordsPort } from '../../../../shared/domain/records/records-port.ts';
import { hourMarks } from '../../../../shared/domain/runs/hour-marks.ts';
import { secretRequests } from '../../../../shared/domain/secrets/secret-requests.ts';
import { secretStore } from '../../../../shared/domain/secrets/secret-store.ts';
import { secretValues } from '../../../../shared/domain/secrets/secret-values.ts';
import { setupLinkTokens } from '../../../../shared/domain/secrets/setup-link-tokens.ts';
import type { Batch } from '../../../../shared/execution/batches/batch.ts';
import { batchPlanner, toRecordRunId } from '../../../../shared/execution/batches/batch-plan.ts';
import { batchStore, recordSlot } from '../../../../shared/execution/batches/batch-store.ts';
import { groupCommits } from '../../../../shared/execution/batches/group-commit.ts';
import { loadJobs } from '../../../../shared/execution/batches/record-jobs.ts';
import type { RunMessage } from '../../../../shared/execution/batches/run-message.ts';
import { startWithinShare } from '../../../../shared/execution/batches/slot-sharing.ts';
import { cleaner } from '../../../../shared/execution/cleaner.ts';
import {
  createFlowExecution,
  openDispatchRecorder,
} from '../../../../shared/execution/dispatch/dispatch-recorder.ts';
import { flowUpserter, type PreparedRun } from '../../../../shared/execution/dispatch/prepare.ts';
import { runRecord } from '../../../../shared/execution/record-runs/run-record.ts';
import { checkpointEntity, recordResultsRange } from '../../../../shared/execution/runs/checkpoint.ts';
import { deleteRunResult } from '../../../../shared/execution/runs/delete-run-result.ts';
import { RunResultQuery, runResults } from '../../../../shared/execution/runs/list-run-results.ts';
import { StepResultQuery, stepResultStore } from '../../../../shared/execution/runs/list-step-results.ts';
import { openRunRecorder, type RunRecorder } from '../../../../shared/execution/runs/run-recorder.ts';
import { runVersions } from '../../../../shared/execution/runs/run-versions.ts';
import { recordCosts } from '../../../../shared/execution/runs/spending.ts';
import {
  type ApiKey,
  apiKeyEntity,
  credentialEntity,
  zeroCounters,
} from '../../../../shared/platform/auth/api-key.ts';
import { hashKey } from '../../../../shared/platform/auth/key-format.ts';
import { admit } from '../../../../shared/platform/auth/request-limiter.ts';
import { listDue, sweepKeys } from '../../../../shared/platform/cleanup/sweeps.ts';
import {
  confirmCleaned,
  listUnfinishedCleanups,
  tombstoneWrite,
} from '../../../../shared/platform/cleanup/tombstone.ts';
import { decode, defineEntity } from '../../../../shared/platform/data/entity.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import { CursorQuery } from '../../../../shared/platform/data/lists/pages.ts';
import type { Write } from '../../../../shared/platform/data/writes.ts';
import type { Principal } from '../../../../shared/platform/identity/principal.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';
import { newTenantName } from './notes.ts';

const owner = { userId: 'u', organizationId: null };
/** Something that stands where the sweeper looks. */
const sweptEntity = (kind: string) =>
  defineEntity({
    type: 'swept',
    schema: z.object({ id: z.string() }),
    key: ({ id }: { id: string }) => ({ PK: tenantPartition(`SWEPT#${id}`), SK: kind }),
    index: ({ id }) => sweepKeys(kind, id, new Date(0).toISOString()),
  });
const step = (n: number) => ({
  id: `step-${n}`,
  type: 'template',
  name: `step ${n}`,
  order: n,
  enabled: true,
  config: { template: 'x' },
});

/**
 * A tenant with some of everything, and what the stores ask of the table.
 * @param recordCount A batch, and a page of each list, need 60.
 */
export async function accessWorld(recordCount = 60) {
  const tenant = newTenantName();
  const { scopeOf, consumed, reset } = countingRuntime();
  const scope = scopeOf(tenant);
  // Written once an hour by each process, and so by none of the patterns.
  for (const at of [Date.now(), Date.now() + 3_600_000]) await hourMarks(scope)(new Date(at).toISOString());
  const [flows, versions, records, batches] = [
    flowStore(scope),
    versionStore(scope),
    recordStore(scope),
    batchStore(scope),
  ];
  const newFlow = () => flows.create(owner, { name: 'A flow', steps: [step(0), step(1)] });
  const flow = await newFlow();
  const versionId = await versions.publishDraft(flow.id);
  const drafts = Array.from({ length: recordCount }, (_, n) => ({
    type: n % 2 ? 'odd' : 'even',
    name: `record ${n}`,
    metadata: { n },
    messages: null,
  }));
  const { created } = await records.createMany(owner, drafts);

  const newBatch = async (
    recordIds?: readonly string[],
    alsoWrite: readonly Write[] = [],
    id = newId('batch'),
  ) => {
    const batch: Batch = {
      ...owner,
      id,
      flowId: flow.id,
      flowName: flow.name,
      flowVersionId: versionId,
      recordType: 'even',
      recordConcurrency: 10,
      maxRetries: 0,
      totalRecords: created.length,
      planned: true,
      stopped: null,
      stoppedAt: null,
      error: null,
      startedAt: new Date().toISOString(),
    };
    await batches.create(batch, { ...(recordIds && { recordIds }), alsoWrite });
    return batch;
  };
  const messagesOf = (batch: Batch) =>
    created.map(({ id: recordId }, n): RunMessage => {
      const ids = { batchId: batch.id, flowId: flow.id, recordId, runId: toRecordRunId(batch, recordId) };
      return { tenant, ...ids, slot: recordSlot(batch, n) };
    });

  return {
    tenant,
    scope,
    table: scope.table,
    flows,
    versions,
    records,
    batches,
    newFlow,
    flow,
    versionId,
    created,
    owner,
    newBatch,
    messagesOf,
    keys: apiKeyStore(scope),
    secrets: secretStore(scope),
    modelConfigs: configStore(scope),
    providerKeys: providerKeyStore(scope),
    modelSelector: modelSelector(scope),
    setupLinks: setupLinkTokens(scope),
    intake: secretRequests(scope),
    /** Who holds the token of a new link. */
    async newSetupLink(keys: string[]): Promise<Principal> {
      const session = sessionPrincipal(tenant);
      const token = await setupLinkTokens(scope).issue(session, keys, null);
      return { ...session, kind: 'intake', hash: hashKey(token), permissions: [] };
    },
    secretValues: secretValues(scope),
    recordsPort: recordsPort(scope, owner),
    runVersions: runVersions(scope),
    upsertFlow: () =>
      flowUpserter(scope)(
        { ...owner } as Principal,
        { name: 'Upserted', steps: [] },
        { createVersionOnChange: true, allowOverwriteExternalChanges: false },
      ),
    startBatch: (slots: number) => {
      const id = newId('batch');
      return startWithinShare(scope, { id, slots }, (_share, writes) => newBatch(undefined, writes, id));
    },
    planner: batchPlanner(scope),
    clean: cleaner(scope),
    confirmCleaned: (id: string) => confirmCleaned(scope, id),
    /** One in each partition, of a moment at which no other test deletes anything. */
    deletedLongAgo: () =>
      scope.table.commit(
        ['0', '1', '2', '3'].map((last) =>
          tombstoneWrite({ ...scope, now: () => new Date(0) }, `record_${'0'.repeat(25)}${last}`),
        ),
      ),
    unfinishedCleanups: async () => {
      for await (const _page of listUnfinishedCleanups(scope.table, new Date(0)));
    },
    /** One in each partition, of a moment at which no other test has anything swept. */
    standingInSweep: (kind: string) =>
      scope.table.commit(
        ['0', '1', '2', '3'].map((last) =>
          scope.table.writes.put(sweptEntity(kind), { id: `exec_${'0'.repeat(25)}${last}` }),
        ),
      ),
    dueForSweep: async (kind: string) => {
      for await (const _page of listDue(scope.table, kind, new Date(0)));
    },
    /** A run on a record with a first checkpoint, and nobody at work on it. */
    async abandonedRun(recordId: string): Promise<string> {
      const prepared: PreparedRun = {
        flow: { id: flow.id, name: flow.name },
        version: { id: versionId } as LoadedVersion,
        record: { id: recordId, type: 'even', name: 'x', metadata: {} },
        persistResults: true,
      };
      const execution = createFlowExecution(scope, prepared);
      const log = openDispatchRecorder(scope, prepared, owner as Principal, execution, {
        input: {},
        isCancelled: () => false,
        start: { permissions: [], appendsMetadata: false },
        listed: Promise.resolve(),
      });
      await log.add({
        path: '0',
        stepId: 's',
        status: 'completed',
        startedAt: new Date().toISOString(),
        durationMs: 1,
        retryCount: 0,
        output: 'x',
      });
      await log.flush();
      return execution.id;
    },
    costsOf: recordCosts(scope),
    runResults: runResults(scope),
    removeResult: deleteRunResult(scope),
    runPage: (query: object = {}) => RunResultQuery.parse({ limit: '10', ...query }),
    runOf: (recordId: string, batch: Batch) => toRecordRunId(batch, recordId),
    openLog: (recordId: string): RunRecorder => {
      const ids = {
        flowId: flow.id,
        flowVersionId: versionId,
        batchId: null,
        runId: newId('exec'),
        recordId,
      };
      const facts = { ...owner, ...ids, recordName: 'x', recordMetadata: {}, flowName: flow.name };
      return openRunRecorder(scope, facts, ({ write }) => scope.table.commit([write]));
    },
    modelResult: () => ({
      path: '0',
      stepId: 'step-0',
      status: 'completed' as const,
      startedAt: new Date().toISOString(),
      durationMs: 1,
      retryCount: 0,
      output: 'x',
      resolvedPrompt: 'hi',
      modelUsed: 'a/model',
      promptTokens: 1,
      completionTokens: 1,
      estimatedCost: '0.1',
      notes: [{ k: 'm' as const, at: 13, ms: 1_840, n: 'a/model', u: [1, 1, 0, 0], c: '0.1', f: 420 }],
      modelCalls: [
        createModelCall({
          modelUsed: 'a/model',
          keySource: 'platform',
          usage: { inputTokens: 1, outputTokens: 1 },
          cost: '0.1',
          durationMs: 5,
        }),
      ],
    }),
    usageOf: usageMonths(scope),
    countCalls: () =>
      scope.table.commit(
        usageWrites(scope, [
          {
            flowId: null,
            calls: [
              createModelCall({
                modelUsed: 'a/model',
                keySource: 'platform',
                usage: null,
                cost: null,
                durationMs: 5,
              }),
            ],
          },
        ]),
      ),
    results: stepResultStore(scope),
    page: (query: object = {}) => CursorQuery.parse({ limit: '10', ...query }),
    resultPage: (query: object = {}) => StepResultQuery.parse({ limit: '10', ...query }),
    tombstone: (id: string) => scope.table.commit([tombstoneWrite(scope, id)]),
    credential: (hash: string) => scope.table.get(credentialEntity, { hash }, { consistent: true }),
    keyItem: (id: string) => scope.table.get(apiKeyEntity, { id }),
    admit: (principal: Principal) => admit(scope, principal, { permission: 'FLOWS:READ' }),

    /** Writes the checkpoint of the record's last run that many times over, as of further runs. */
    async repeatRun(recordId: string, count: number) {
      const { items } = await scope.table.first(1, recordResultsRange(recordId));
      const [checkpoint] = items.map((item) => decode(checkpointEntity, item));
      if (!checkpoint) throw new Error('The record was not run');
      for (let written = 0; written < count; written += 50) {
        const copies = Array.from({ length: 50 }, () => ({ ...checkpoint, runId: newId('exec') }));
        await scope.table.commit(copies.map((copy) => scope.table.writes.insert(checkpointEntity, copy)));
      }
    },

    /** Has a worker take these messages, which it reads in one go. */
    async run(messages: readonly RunMessage[]) {
      const withCommits = groupCommits(scope);
      const signal = new AbortController().signal;
      const jobs = await loadJobs(scope, messages);
      const ran = await Promise.all(jobs.map((job) => runRecord(scope, job, withCommits, signal)));
      await Promise.all(ran.map(({ stored }) => stored));
    },

    /** What some work asks of DynamoDB and what it consumes. */
    async measure(work: () => Promise<unknown>) {
      reset();
      await work();
      const indexes = Object.entries(consumed.byIndex).filter(
        ([name, units]) => name !== 'table' && units > 0,
      );
      return {
        commands: counted(consumed.commands),
        units: consumed.capacityUnits,
        indexes: indexes
          .map(([name]) => name)
          .toSorted()
          .join(', '),
      };
    },
  };
}

/** `5 Query, GetItem`: how often each command was sent, in the order in which they came first. */
const counted = (commands: readonly string[]) =>
  [...Map.groupBy(commands, (command) => command)]
    .map(([command, { length }]) => (length === 1 ? command : `${length} ${command}`))
    .join(', ');

export type AccessWorld = Awaited<ReturnType<typeof accessWorld>>;

export function accessKey(): ApiKey {
  const at = new Date().toISOString();
  return {
    ...owner,
    id: newId('key'),
    name: 'k',
    environment: 'production',
    hash: newId('key'),
    keyPrefix: 'tv_live_',
    searchHint: 'abcd',
    permissions: ['FLOWS:READ'],
    allowedIps: [],
    isActive: true,
    expiresAt: null,
    createdAt: at,
    updatedAt: at,
    ...zeroCounters,
  };
}

export const keyPrincipal = ({ id, hash }: ApiKey, tenant: string): Principal => ({
  ...owner,
  kind: 'key',
  tenant,
  environment: 'production',
  keyId: id,
  hash,
  permissions: [],
  sourceIp: null,
});

export const sessionPrincipal = (tenant: string): Principal => ({
  ...owner,
  kind: 'session',
  tenant,
  environment: 'production',
  keyId: null,
  hash: null,
  permissions: ['*'],
  sourceIp: null,
});
