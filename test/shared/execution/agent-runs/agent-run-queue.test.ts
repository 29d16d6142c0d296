import { expect, test } from 'vitest';
import { type AgentRunMessage, agentRunQueue } from '../../../../shared/domain/agents/agent-run-queue.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';

test('the message group of a run is that of its tenant, and valid for SQS however long the name is', async () => {
  const sent = await silentQueue<AgentRunMessage>('AGENTS_QUEUE_URL');
  const { scopeOf } = countingRuntime();
  const names = ['user:ada', `user:${encodeURIComponent('é'.repeat(100))}`, 'user:ada'];
  for (const [index, tenant] of names.entries()) await agentRunQueue(scopeOf(tenant)).send(`exec_${index}`);
  expect(sent.map(({ body }) => body.tenant)).toEqual(names);
  const groups = sent.map(({ group }) => group);
  // 1 to 128 letters, digits and punctuation characters.
  for (const group of groups) expect(group).toMatch(/^[\x21-\x7e]{1,128}$/);
  expect(groups[2]).toBe(groups[0]);
  expect(groups[1]).not.toBe(groups[0]);
});
