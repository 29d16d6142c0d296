import Big from 'big.js';
import { expect, test } from 'vitest';
import { noSpending } from '../../../../shared/adapters/ports/spending.ts';
import { flowEntity, flowVersionEntity } from '../../../../shared/domain/flows/flow.ts';
import { recordEntity, recordGuardEntity } from '../../../../shared/domain/records/record.ts';
import { secretEntity, secretIdEntity, secretUseEntity } from '../../../../shared/domain/secrets/secret.ts';
import { batchEntity, batchRecordsEntity, slotEntity } from '../../../../shared/execution/batches/batch.ts';
import { flowNameEntity } from '../../../../shared/execution/dispatch/prepare.ts';
import { checkpointEntity } from '../../../../shared/execution/runs/checkpoint.ts';
import { executionEntity } from '../../../../shared/execution/runs/execution.ts';
import { toCostWrites } from '../../../../shared/execution/runs/spending.ts';
import {
  addressRateLimitEntity,
  apiKeyEntity,
  credentialEntity,
  sessionRateLimitEntity,
} from '../../../../shared/platform/auth/api-key.ts';
import { setupLinkEntity } from '../../../../shared/platform/auth/setup-link.ts';
import { tombstoneEntity } from '../../../../shared/platform/cleanup/tombstone.ts';
import { documentClient } from '../../../../shared/platform/data/client.ts';
import type { AnyEntity } from '../../../../shared/platform/data/entity.ts';
import { tenantTable } from '../../../../shared/platform/data/table.ts';
import { auditEntity } from '../../../../shared/platform/identity/audit.ts';

const table = tenantTable(documentClient(), 'none', 'org:acme');
const at = '2026-01-02T03:04:05.678Z';

/** What tables hold already: a key that changes loses its items. */
const keys: [AnyEntity, object, string[]][] = [
  [apiKeyEntity, { id: 'key_1' }, ['T#org:acme#KEYS', 'key_1']],
  [credentialEntity, { hash: 'abc' }, ['CREDENTIAL#abc', 'CREDENTIAL']],
  [setupLinkEntity, { hash: 'abc' }, ['CREDENTIAL#abc', 'INTAKE']],
  [sessionRateLimitEntity, { userId: 'u' }, ['T#org:acme#USER#u', 'METER']],
  [addressRateLimitEntity, { network: '192.0.2.1' }, ['ADDRESS#192.0.2.1', 'METER']],
  [auditEntity, { id: 'audit_1', at }, ['T#org:acme#AUDIT#2026-01', 'audit_1']],
  [
    flowEntity,
    { id: 'flow_1', draft: null },
    ['T#org:acme#FLOW#flow_1', 'FLOW', 'T#org:acme#FLOWS', 'flow_1'],
  ],
  [
    flowEntity,
    { id: 'flow_1', draft: { id: 'flowver_1' } },
    ['T#org:acme#FLOW#flow_1', 'FLOW', 'T#org:acme#FLOWS', 'flow_1', 'T#org:acme#VERSIONS', 'flowver_1'],
  ],
  [
    flowVersionEntity,
    { id: 'flowver_1', flowId: 'flow_1' },
    [
      'T#org:acme#FLOW#flow_1',
      'VERSION#flowver_1',
      'T#org:acme#FLOW#flow_1#VERSIONS',
      'flowver_1',
      'T#org:acme#VERSIONS',
      'flowver_1',
    ],
  ],
  [secretEntity, { key: 'TOKEN' }, ['T#org:acme#SECRETS', 'TOKEN']],
  [secretIdEntity, { id: 'secret_1' }, ['T#org:acme#SECRET#secret_1', 'ID']],
  [secretUseEntity, { key: 'TOKEN', by: 'flow_1' }, ['T#org:acme#SECRETUSES#TOKEN', 'flow_1']],
  [
    recordEntity,
    { id: 'record_1', type: 'person' },
    [
      'T#org:acme#RECORD#record_1',
      'RECORD',
      'T#org:acme#RECORDS',
      'record_1',
      'T#org:acme#RECORDS#person',
      'record_1',
    ],
  ],
  [
    recordGuardEntity,
    { type: 'person', name: 'Ada' },
    ['T#org:acme#NAME#f67642bc84acd208f93c2165c4628514ae3a4b4b370e312adb7f9364978ef510', 'NAME'],
  ],
  [
    flowNameEntity,
    { name: 'Greet' },
    ['T#org:acme#FLOWNAME#d4fd03eee15d7906cd9dcaf9902a4b5e602d4f493b49a56342a4d6a4c3f0d4d6', 'NAME'],
  ],
  [
    batchEntity,
    { id: 'batch_1', startedAt: at },
    [
      'T#org:acme#BATCH#batch_1',
      'BATCH',
      'T#org:acme#BATCHES',
      'batch_1',
      'SWEEP#BATCH#1',
      '2026-01-02T03:19:05.678Z',
    ],
  ],
  [batchRecordsEntity, { id: 'batch_1' }, ['T#org:acme#BATCH#batch_1', 'RECORDS']],
  [slotEntity, { batchId: 'batch_1', slot: 2 }, ['T#org:acme#BATCH#batch_1#SLOT#2', 'COUNTERS']],
  [
    executionEntity,
    { id: 'exec_1', leaseUntil: at },
    ['T#org:acme#EXECUTION#exec_1', 'EXECUTION', 'SWEEP#EXECUTION#1', at],
  ],
  [
    checkpointEntity,
    { runId: 'exec_1', index: 0, flowId: 'flow_1', recordId: null },
    ['T#org:acme#RUN#exec_1', 'STEPS#exec_1#0000', 'T#org:acme#FLOW#flow_1#STEPS#0', 'exec_1#0000'],
  ],
  [
    checkpointEntity,
    { runId: 'exec_1', index: 12, flowId: 'flow_1', recordId: 'record_1', finished: {} },
    ['T#org:acme#RECORD#record_1', 'STEPS#exec_1#0012', 'T#org:acme#FLOW#flow_1#STEPS#0', 'exec_1#0012'],
  ],
  [tombstoneEntity, { id: 'flow_1', deletedAt: at }, ['T#org:acme#DELETED', 'flow_1', 'CLEANUPS#1', at]],
];

test.each(keys.map(([entity, item, expected]) => ({ type: entity.type, entity, item, expected })))(
  'the stored keys of $type do not change',
  ({ entity, item, expected }) => {
    const { Item } = (table.writes.put(entity, item) as { Put: { Item: Record<string, string> } }).Put;
    const found = ['PK', 'SK', 'PK1', 'SK1', 'PK2', 'SK2'].flatMap((name) => Item[name] ?? []);
    expect(found).toEqual(expected);
  },
);

test('the stored keys of cost counters do not change', () => {
  const use = { recordId: 'record_1', flowId: 'flow_1', model: 'm', count: 1, cost: new Big(1) };
  const [write] = toCostWrites(table, [{ ...noSpending, ...use }]);
  expect(write).toMatchObject({
    Update: { Key: { PK: 'T#org:acme#RECORD#record_1', SK: 'COSTS#flow_1#m' } },
  });
});
