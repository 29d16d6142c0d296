import { expect, test, vi } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { audit, auditEntity } from '../../../../shared/platform/identity/audit.ts';
import type { Principal } from '../../../../shared/platform/identity/principal.ts';
import { byClock, countingRuntime } from '../../../support/stack/stack.ts';

const at = '2026-01-31T23:59:59.999Z';
const principal: Principal = {
  kind: 'key',
  tenant: '',
  userId: 'ada',
  organizationId: null,
  environment: 'production',
  keyId: 'key_1',
  hash: 'the hash',
  permissions: ['*'],
  sourceIp: '203.0.113.7',
};
const scopeAt = (moment: string): Scope =>
  byClock(countingRuntime().scopeOf(`user:${newId('key')}`), () => new Date(moment));

test('an audit item records who did what, when and from where, in its month’s partition, for 400 days', async () => {
  const scope = scopeAt(at);
  const { write } = audit(scope, principal, {
    action: 'secret.rotated',
    targetId: 'secret_1',
    details: { version: 2 },
  });
  await scope.table.commit([write]);
  const items = await scope.table.queryAll({ partition: tenantPartition('AUDIT#2026-01') });
  expect(items).toEqual([
    {
      PK: `T#${scope.table.tenant}#AUDIT#2026-01`,
      SK: expect.stringMatching(/^audit_[0-9a-z]{26}$/),
      _type: auditEntity.type,
      id: items[0]?.SK,
      at,
      action: 'secret.rotated',
      targetId: 'secret_1',
      details: { version: 2 },
      userId: 'ada',
      kind: 'key',
      keyId: 'key_1',
      sourceIp: '203.0.113.7',
      ttl: Math.floor(Date.parse(at) / 1_000) + 400 * 86_400,
    },
  ]);
});

test('the audit log line contains the item’s id but not its details', () => {
  vi.stubEnv('LOG_LEVEL', 'info');
  const lines = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { log: logAudit } = audit(scopeAt(at), principal, {
    action: 'api-key.updated',
    targetId: 'key_2',
    details: { name: 'a name' },
  });
  expect(lines).not.toHaveBeenCalled();
  logAudit();
  const [line] = lines.mock.calls.map(([text]) => String(text));
  lines.mockRestore();
  vi.unstubAllEnvs();
  expect(JSON.parse(line ?? '')).toEqual({
    level: 'info',
    message: 'Audit',
    id: expect.stringMatching(/^audit_/),
    at,
    action: 'api-key.updated',
    targetId: 'key_2',
    userId: 'ada',
    kind: 'key',
    keyId: 'key_1',
    sourceIp: '203.0.113.7',
  });
});
