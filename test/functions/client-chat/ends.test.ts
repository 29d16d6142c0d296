import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import {
  agentChat,
  answerTo,
  eventsOfPage,
  lastEvent,
  openPageStream,
  type SeenEvent,
} from '../../support/surfaces/chat.ts';

const slow = { model: 'generic-openai/trickling' };
const long = Array.from({ length: 200 }, (_, n) => `word${n}`).join(' ');

/** A long answer with two readers: the page that asked, and one that reconnected. */
async function readByTwo() {
  const world = await agentChat({}, slow);
  const { events, body } = await openPageStream(world.sessionId, long);
  const first = (await events?.next())?.value;
  if (!events || !first) throw new Error(JSON.stringify(body));
  const executionId = first.data.executionId as string;
  const page = Array.fromAsync(events).then((all) => all.at(-1)?.data as unknown as SeenEvent);
  const tab = eventsOfPage(world.sessionId, executionId).then(lastEvent);
  await sleep(500);
  return { ...world, executionId, readers: Promise.all([page, tab]) };
}

const codesOf = (ends: SeenEvent[]) => ends.map(({ type, error }) => [type, error?.code]);
const both = (code: string) => [
  ['execution_error', code],
  ['execution_error', code],
];

test('all readers learn that a later message interrupted the answer, also those that come afterwards', async () => {
  const { sessionId, executionId, readers } = await readByTwo();
  await answerTo(sessionId, 'now', { submitMode: 'interrupt' });
  expect(codesOf(await readers)).toEqual(both('INTERRUPTED'));
  expect(codesOf([lastEvent(await eventsOfPage(sessionId, executionId))])).toEqual([
    ['execution_error', 'INTERRUPTED'],
  ]);
});

test('an answer whose agent is deleted was ended by the owner, for all readers', async () => {
  const { tenant, agent, readers } = await readByTwo();
  await expectStatus(200, tenant.call('DELETE', `/v1/agents/${agent.id}`));
  const ends = await readers;
  expect(codesOf(ends)).toEqual(both('CANCELLED'));
  expect(ends[0]?.error?.message).toBe('The owner of this chat ended the answer');
});

test('so was one that the tenant cancels', async () => {
  const { tenant, agent, executionId, readers } = await readByTwo();
  const path = `/v1/agents/${agent.id}/executions/${executionId}/cancel`;
  await expectStatus(200, tenant.call('POST', path));
  expect(codesOf(await readers)).toEqual(both('CANCELLED'));
});
