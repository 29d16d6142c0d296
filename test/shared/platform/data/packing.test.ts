import { expect, test } from 'vitest';
import * as z from 'zod';
import { decode, defineEntity, encode } from '../../../../shared/platform/data/entity.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';

const entityWith = (...dictionaries: [string, ...string[]]) =>
  defineEntity({
    type: 'note',
    schema: z.object({
      id: z.string(),
      text: z.string(),
      marks: z.array(z.int()).optional(),
      kind: z.string(),
    }),
    key: ({ id }: { id: string }) => ({ PK: tenantPartition('NOTES'), SK: id }),
    summary: ['kind'],
    packing: { fields: ['text', 'marks'], dictionaries },
  });

const words = 'the quick brown fox jumps over the lazy dog ';
const note = { id: 'a', text: `${words}twice: ${words}`, marks: [1, 2], kind: 'plain' };

test('packed fields are stored as one value, and read as they were written', () => {
  const entity = entityWith(words);
  const stored = encode(entity, 'tenant', note);
  expect(Object.keys(stored).toSorted()).toEqual(['PK', 'SK', '_type', 'id', 'packed', 'summary']);
  expect((stored.packed as Buffer).length).toBeLessThan(45);
  expect(decode(entity, stored)).toEqual(note);
  const { marks: _, ...withoutMarks } = note;
  expect(decode(entity, encode(entity, 'tenant', withoutMarks))).toEqual(withoutMarks);
});

test('what was written with an earlier dictionary, or before fields were packed, is still read', () => {
  const stored = encode(entityWith(words), 'tenant', note);
  expect(decode(entityWith(words, 'other words'), stored)).toEqual(note);
  const { packing: _, ...unpacked } = entityWith(words);
  expect(decode(entityWith(words), encode(unpacked, 'tenant', note))).toEqual(note);
});
