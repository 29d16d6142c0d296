import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { mapFromWire, mapToWire } from '../../../../../shared/platform/data/requests/attribute-values.ts';
import { splitAnswer, toLazyItem } from '../../../../../shared/platform/data/requests/lazy-items.ts';
import { turnsDuring } from '../../../../support/suite/turns.ts';

type Attributes = Record<string, unknown>;
type Wire = ReturnType<typeof mapToWire>;
type Split = { Responses: Record<string, Attributes[]>; UnprocessedKeys: unknown };

const split = async (text: string) =>
  (await splitAnswer(Buffer.from(text), (others) => others)) as unknown as Split;
const lazyItems = async (text: string, table = 'T') => (await split(text)).Responses[table]?.map(toLazyItem);

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('', '"', '\\', '\\"', '{"S":"x"}', '[{', '}]', '\u2028', '\ud800', ',', 'n\n\t\0', 'é😀'),
  fc.string({ maxLength: 3 }).map((part) => `"${part}\\`.repeat(300)),
);
/** V8 takes "\\u0041" for "\\" where an object before had that name. */
const name = text.filter((each) => !each.startsWith('\\') && each !== '__proto__');
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
      fc.bigInt(-(10n ** 37n), 10n ** 37n),
    ),
    fc.constantFrom(true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value as fc.Arbitrary<unknown>;
const item = fc
  .uniqueArray(fc.tuple(fc.oneof(fc.constantFrom('PK', 'SK', 'summary', 'ttl', 'metadata'), name), value), {
    maxLength: 8,
    selector: ([member]) => member,
  })
  .map((members) => mapToWire(Object.fromEntries(members)));
const answer = fc.record({
  items: fc.array(item, { maxLength: 5 }),
  others: fc.array(item, { maxLength: 2 }),
  indent: fc.constantFrom(0, 1, '\t'),
  isFirst: fc.boolean(),
});
const write = ({
  items,
  others,
  indent,
  isFirst,
}: {
  items: Wire[];
  others: Wire[];
  indent: string | number;
  isFirst: boolean;
}) => {
  const Responses = { T: items, 'other "table"': others };
  const UnprocessedKeys = { T: { Keys: items.slice(0, 1) } };
  return JSON.stringify(
    isFirst ? { Responses, UnprocessedKeys } : { UnprocessedKeys, Responses },
    null,
    indent,
  );
};

test('a split answer has the same items as a parsed one, as wholes and by attribute', async () => {
  const property = fc.asyncProperty(answer, async (given) => {
    const json = write(given);
    const parsed = JSON.parse(json) as { Responses: Record<string, Wire[]>; UnprocessedKeys: unknown };
    const found = await split(json);
    expect(found.UnprocessedKeys).toEqual(parsed.UnprocessedKeys);
    expect(Object.keys(found.Responses)).toEqual(Object.keys(parsed.Responses));
    for (const [table, wires] of Object.entries(parsed.Responses)) {
      const lazy = found.Responses[table]?.map(toLazyItem) ?? [];
      const whole = wires.map(mapFromWire);
      expect(lazy.map((each) => each.read())).toEqual(whole);
      for (const [index, each] of whole.entries())
        for (const asked of ['PK', 'summary', 'ttl', 'metadata'])
          expect(lazy[index]?.get(asked)).toEqual(each[asked]);
    }
  });
  await fc.assert(property, { numRuns: 500 });
});

test('items are read with their attributes in one order, however they were sent', async () => {
  const members = [
    ['a', { S: '1' }],
    ['b', { N: '2' }],
    ['c', { M: {} }],
  ] as const;
  const items = [members, members.toReversed(), members.slice(1)].map((each) => Object.fromEntries(each));
  const found = (await lazyItems(JSON.stringify({ Responses: { T: items } }))) ?? [];
  expect(found.map((each) => Object.keys(each.read()).join())).toEqual(['a,b,c', 'a,b,c', 'b,c']);
});

test('an attribute that is named twice has its first value, as one that is asked for', async () => {
  const [twice] = (await lazyItems('{"Responses":{"T":[{"a":{"S":"1"},"a":{"S":"2"}}]}}')) ?? [];
  expect([twice?.get('a'), twice?.read()]).toEqual(['1', { a: '1' }]);
});

test('an answer that breaks off, or goes on, is not split', async () => {
  const json = write({
    items: [mapToWire({ PK: 'a', n: 1, list: [null, '}'] })],
    others: [],
    indent: 0,
    isFirst: true,
  });
  const broken = [...Array(json.length).keys()].map((length) => json.slice(0, length));
  for (const each of [
    ...broken,
    `${json}}`,
    `${json}{`,
    json.replace('"PK":', '"PK"'),
    json.replace('[{', '{'),
    'null',
    '[]',
  ])
    await expect(split(each), each).rejects.toThrow(SyntaxError);
});

test('what is split for long gives way to others after each item', async () => {
  const items = Array.from({ length: 50 }, (_, n) => mapToWire({ n }));
  const json = JSON.stringify({ Responses: { T: items } });
  expect(await turnsDuring(() => split(json))).toBeGreaterThanOrEqual(items.length);
});
