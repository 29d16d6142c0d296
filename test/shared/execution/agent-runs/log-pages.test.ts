import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { runLog } from '../../../../shared/execution/agent-runs/run-log.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

test('a page of a log has about a megabyte of facts, and all come in order', async () => {
  const { tenant } = await newTenant();
  const scope = countingRuntime().scopeOf(tenant);
  const log = runLog(scope);
  const executionId = newId('exec');
  for (let n = 0; n < 5; n++) {
    const fact = { type: 'text', at: '', text: 'x'.repeat(400_000) } as never;
    await scope.table.commit([await log.write(executionId, { n, lastSeq: n, holder: 'h', fact }, undefined)]);
  }
  const pages: number[][] = [];
  for (let after = -1, hasMore = true; hasMore; ) {
    const page = await log.readPage(executionId, after);
    pages.push(page.entries.map(({ n }) => n));
    after = page.entries.at(-1)?.n ?? 0;
    hasMore = page.hasMore;
  }
  expect(pages).toEqual([[0, 1], [2, 3], [4]]);
});
