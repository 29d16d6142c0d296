import { expect, test } from 'vitest';
import { createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import {
  a2aClient,
  a2aProtocols,
  a2aWorld,
  addSkill,
  data,
  sending,
  shownEvents,
  shownTask,
  text,
} from '../../support/surfaces/a2a-surface.ts';

test.each(a2aProtocols)(
  '%s %s: a message runs a flow, and its answer is an artifact',
  async (...protocol) => {
    const { url, key } = await a2aWorld();
    const client = await a2aClient(url, key, protocol);
    expect(shownTask(await client.sendMessage(sending([text('Ada')])))).toEqual({
      state: 'completed',
      said: undefined,
      answer: ['Hello Ada'],
    });
    expect(shownTask(await client.sendMessage(sending([data({ person: 'Bob' })])))).toMatchObject({
      answer: ['Hello Bob'],
    });
  },
);

test.each(a2aProtocols)(
  '%s %s: the events of a flow are its task, the answer and the end',
  async (...protocol) => {
    const { url, key } = await a2aWorld();
    const client = await a2aClient(url, key, protocol);
    expect(await shownEvents(client.sendMessageStream(sending([text('Ada')])))).toEqual([
      ['task', 'working'],
      ['answer', ['Hello Ada'], { append: false, lastChunk: true }],
      ['status', 'completed'],
    ]);
  },
);

test.each(a2aProtocols)('%s %s: an agent streams its text', async (...protocol) => {
  const world = await a2aWorld();
  const agent = await createScriptedAgent(world.tenant);
  await addSkill(world, { capabilityName: 'Ask', agentId: agent.id });
  const client = await a2aClient(world.url, world.key, protocol);
  const ask = () => sending([text(scripted({ text: 'an answer of several words' }))], { skillId: 'ask' });
  expect(shownTask(await client.sendMessage(ask()))).toMatchObject({
    state: 'completed',
    answer: ['an answer of several words'],
  });
  const events = (await shownEvents(client.sendMessageStream(ask()))) as [
    string,
    string[],
    { append: boolean; lastChunk: boolean },
  ][];
  expect(events.at(0)).toEqual(['task', 'working']);
  expect(events.at(-1)).toEqual(['status', 'completed']);
  const pieces = events.slice(1, -1);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.flatMap(([, parts]) => parts).join('')).toBe('an answer of several words');
  expect(pieces.map(([, , { append }]) => append)).toEqual(pieces.map((_, index) => index > 0));
  expect(pieces.map(([, , { lastChunk }]) => lastChunk)).toEqual(
    pieces.map((_, index) => index === pieces.length - 1),
  );
});
