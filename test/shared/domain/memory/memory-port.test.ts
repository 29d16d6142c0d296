import { expect, test } from 'vitest';
import { vectorStore } from '../../../../shared/adapters/vectors/vector-store.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { memoriesMax } from '../../../../shared/domain/memory/limits.ts';
import { memoryPort } from '../../../../shared/domain/memory/memory-adapter.ts';
import {
  generationRange,
  profileEntity,
  toProfileId,
} from '../../../../shared/domain/memory/profile-memory.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';
import { newTenantName } from '../../platform/data/notes.ts';

const embeddingModel = 'openai/text-embedding-3-small';
const vector = [1, 0.5];
const newScope = (): Scope => countingRuntime().scopeOf(newTenantName());
const save = async (scope: Scope, profile: string, text: string, more: object = {}) =>
  (await memoryPort(scope).open(profile)).save({ text, vector, embeddingModel, ...more });
const near = async (scope: Scope, profile: string, session?: string) => {
  const found = await (await memoryPort(scope).open(profile)).nearest({ vector, session, limit: 40 });
  return found.map(({ text }) => text).toSorted();
};
const stored = (scope: Scope, profile: string) =>
  scope.table.get(profileEntity, { id: toProfileId(profile) });

test('a profile that was never used is empty, and reading it stores nothing', async () => {
  const scope = newScope();
  const memory = await memoryPort(scope).open('ada');
  expect(memory).toMatchObject({ embeddingModel: undefined, memoryCount: 0 });
  expect(await memory.nearest({ vector, session: undefined, limit: 5 })).toEqual([]);
  expect(await memory.after(0, { session: undefined, limit: 5 })).toEqual({ memories: [], through: 0 });
  expect(await memory.summary(undefined)).toBeUndefined();
  expect(await memory.clear()).toBe(0);
  expect(await stored(scope, 'ada')).toBeUndefined();
});

test('the nearest memories of a profile are found, nearest first, with their texts', async () => {
  const scope = newScope();
  await save(scope, 'ada', 'likes tea', { vector: [1, 0] });
  await save(scope, 'ada', 'lives in Oslo', { vector: [0, 1] });
  const memory = await memoryPort(scope).open('ada');
  expect(memory).toMatchObject({ embeddingModel, memoryCount: 2 });
  expect(await memory.nearest({ vector: [0.1, 1], session: undefined, limit: 2 })).toMatchObject([
    { text: 'lives in Oslo', createdAt: expect.stringMatching(/^20/) },
    { text: 'likes tea' },
  ]);
});

test('profiles, tenants and collections do not see the memories of each other', async () => {
  const scope = newScope();
  await save(scope, 'ada', 'of ada');
  await save(scope, 'bob', 'of bob');
  expect(await near(scope, 'ada')).toEqual(['of ada']);
  expect(await near(scope, 'bob')).toEqual(['of bob']);
  // Also where the vectors of another profile are nearer.
  await save(scope, 'bob', 'nearer', { vector: [2, 1] });
  await save(scope, 'ada', 'farther', { vector: [0, 1] });
  const ada = await memoryPort(scope).open('ada');
  const found = await ada.nearest({ vector: [2, 1], session: undefined, limit: 2 });
  expect(found.map(({ text }) => text)).toEqual(['of ada', 'farther']);
  expect(await near(newScope(), 'ada')).toEqual([]);
  const collections = vectorStore(scope.table);
  for (const name of ['memory', embeddingModel, `\0${embeddingModel}`]) {
    expect(await collections.query(name, vector, 10)).toEqual([]);
  }
});

test('a session finds its memories only; without one, all are found', async () => {
  const scope = newScope();
  await save(scope, 'ada', 'in the first', { session: '1' });
  await save(scope, 'ada', 'in the second', { session: '2' });
  await save(scope, 'ada', 'in none');
  expect(await near(scope, 'ada', '1')).toEqual(['in the first']);
  expect(await near(scope, 'ada')).toEqual(['in none', 'in the first', 'in the second']);
  const memory = await memoryPort(scope).open('ada');
  const { memories, through } = await memory.after(0, { session: '2', limit: 10 });
  expect(memories.map(({ text, number }) => [text, number])).toEqual([['in the second', 2]]);
  expect(through).toBe(3);
});

test('a text that is saved again is the same memory', async () => {
  const scope = newScope();
  const first = await save(scope, 'ada', 'likes tea');
  expect(first.isNew).toBe(true);
  expect(await save(scope, 'ada', 'likes tea')).toEqual({ id: first.id, isNew: false });
  expect(await near(scope, 'ada')).toEqual(['likes tea']);
  expect((await stored(scope, 'ada'))?.memoryCount).toBe(1);
});

test('memories that many runs save at once all get a number of their own', async () => {
  const scope = newScope();
  const texts = Array.from({ length: 12 }, (_, n) => `fact ${n}`);
  await Promise.all([...texts, ...texts].map((text) => save(scope, 'ada', text)));
  const memory = await memoryPort(scope).open('ada');
  const { memories } = await memory.after(0, { session: undefined, limit: 100 });
  expect(memories.map(({ number }) => number)).toEqual(texts.map((_, n) => n + 1));
  expect(memories.map(({ text }) => text).toSorted()).toEqual(texts.toSorted());
  expect(memory.memoryCount).toBe(12);
});

test('a cleared profile is empty, keeps nothing in the table, and can be used with another model', async () => {
  const scope = newScope();
  await save(scope, 'ada', 'likes tea');
  await save(scope, 'bob', 'stays');
  const memory = await memoryPort(scope).open('ada');
  await memory.storeSummary({ text: 'tea', through: 1 }, undefined);
  const before = await stored(scope, 'ada');
  const range = generationRange({ profileId: toProfileId('ada'), generation: before?.generation ?? '' });
  expect(await scope.table.count(range)).toBe(3);
  expect(await memory.clear()).toBe(1);
  expect(await scope.table.count(range)).toBe(0);
  expect(await stored(scope, 'ada')).toBeUndefined();
  expect(await near(scope, 'ada')).toEqual([]);
  expect(await near(scope, 'bob')).toEqual(['stays']);
  await save(scope, 'ada', 'likes coffee', { vector: [1, 2, 3], embeddingModel: 'mistral/mistral-embed' });
  const again = await memoryPort(scope).open('ada');
  expect(await again.nearest({ vector: [1, 2, 3], session: undefined, limit: 5 })).toMatchObject([
    { text: 'likes coffee' },
  ]);
  expect(await again.summary(undefined)).toBeUndefined();
});

test('a deletion that was interrupted is completed by the next one, and hides the memories at once', async () => {
  const scope = newScope();
  await save(scope, 'ada', 'likes tea');
  const before = await stored(scope, 'ada');
  const broken: Scope = {
    ...scope,
    table: { ...scope.table, removeRange: () => Promise.reject(new Error('gone')) },
  };
  await expect((await memoryPort(broken).open('ada')).clear()).rejects.toThrow('gone');
  expect(await near(scope, 'ada')).toEqual([]);
  await save(scope, 'ada', 'likes coffee');
  expect(await (await memoryPort(scope).open('ada')).clear()).toBe(1);
  const range = generationRange({ profileId: toProfileId('ada'), generation: before?.generation ?? '' });
  expect(await scope.table.count(range)).toBe(0);
});

test('a memory is not added to a profile that was cleared in the meantime', async () => {
  const scope = newScope();
  await save(scope, 'ada', 'likes tea');
  const stale = await memoryPort(scope).open('ada');
  await (await memoryPort(scope).open('ada')).clear();
  await save(scope, 'ada', 'likes coffee');
  const failure = await stepFailure(stale.save({ text: 'late', vector, embeddingModel }));
  expect(failure).toBeInstanceOf(StepError);
  expect(failure).toMatchObject({ retryable: true });
  expect(await near(scope, 'ada')).toEqual(['likes coffee']);
});

test('a profile that was cleared and used again is cleared whole by a run that had opened it before', async () => {
  const scope = newScope();
  await save(scope, 'ada', 'likes tea');
  const stale = await memoryPort(scope).open('ada');
  await (await memoryPort(scope).open('ada')).clear();
  await save(scope, 'ada', 'likes coffee');
  const again = await stored(scope, 'ada');
  expect(await stale.clear()).toBe(1);
  const range = generationRange({ profileId: toProfileId('ada'), generation: again?.generation ?? '' });
  expect(await scope.table.count(range)).toBe(0);
});

test('a full profile refuses further memories', async () => {
  const scope = newScope();
  await save(scope, 'ada', 'likes tea');
  const profile = await stored(scope, 'ada');
  if (!profile) throw new Error('There is no profile');
  await scope.table.commit([scope.table.writes.put(profileEntity, { ...profile, memoryCount: memoriesMax })]);
  expect((await stepFailure(save(scope, 'ada', 'one more'))).message).toContain('10000 memories');
});

test('of two summaries that were written at the same time, the first one stays', async () => {
  const scope = newScope();
  await save(scope, 'ada', 'likes tea');
  const memory = await memoryPort(scope).open('ada');
  await memory.storeSummary({ text: 'one', through: 1 }, undefined);
  await memory.storeSummary({ text: 'other', through: 1 }, undefined);
  expect((await memory.summary(undefined))?.text).toBe('one');
  const one = await memory.summary(undefined);
  await memory.storeSummary({ text: 'two', through: 2 }, one);
  await memory.storeSummary({ text: 'late', through: 3 }, one);
  expect((await memory.summary(undefined))?.text).toBe('two');
  expect(await memory.summary('a session')).toBeUndefined();
});
