import { expect, test } from 'vitest';
import { runEntity } from '../../../../shared/domain/runs/run.ts';
import { statusWrite } from '../../../../shared/domain/runs/run-list.ts';
import { ConditionFailed } from '../../../../shared/platform/data/condition-failed.ts';
import { runRow, storeRuns } from '../../../support/flows/run-rows.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

test.each(['paused', 'running'] as const)('a run that was cancelled does not become %s', async (status) => {
  const { tenant } = await newTenant();
  const scope = countingRuntime().scopeOf(tenant);
  const at = Date.now() - 1_000;
  const run = runRow({ kind: 'flow', status: 'cancelled', startedAt: at, completedAt: at });
  await storeRuns(scope, [run]);
  await expect(scope.table.commit([statusWrite(scope, run, status)])).rejects.toThrow(ConditionFailed);
  expect((await scope.table.get(runEntity, { id: run.id }))?.status).toBe('cancelled');
});
