import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordFilters } from '../../../../shared/domain/records/record-filters.ts';
import type { RecordPage } from '../../../../shared/domain/records/record-list.ts';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import type { TenantTable } from '../../../../shared/platform/data/table.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';
import { newTenantName } from '../../platform/data/notes.ts';

const owner = { userId: 'u', organizationId: null };
const draftOf = (color: string, name: string) => ({
  type: color,
  name: `${color} ${name}`,
  metadata: { color, [color]: 'x' },
  messages: null,
});

/** Each means the red records, or all. */
const filters: RecordFilters[] = [
  {},
  { type: 'red' },
  { search: 'RED' },
  { metadata_keys: ['red'] },
  { search: 're', metadata_keys: ['red'] },
  { recordFilter: { type: 'red', where: { field: 'color', op: 'isSet' } } },
  { max_fields: 9 },
];
const meansAll = (filter: RecordFilters) => Object.keys(filter).length === 0 || filter.max_fields === 9;

/** The same table, a query of which looks at a few items only, as DynamoDB's do after a megabyte. */
const shortSighted = (table: TenantTable, seen: number): TenantTable => ({
  ...table,
  walk: (options) => table.walk({ ...options, perQuery: seen }),
});

const colors = fc.constantFrom('red', 'blue');
/** What happens before each page: a record comes, or one of those that were there goes. */
const events = fc.array(
  fc.oneof(fc.record({ insert: colors }), fc.record({ remove: fc.nat(60) }), fc.constant({})),
  { maxLength: 12 },
);
const worlds = fc.record({
  /** Long stretches without a red one. */
  given: fc
    .array(fc.tuple(colors, fc.integer({ min: 1, max: 15 })), { maxLength: 6 })
    .map((stretches) => stretches.flatMap(([color, count]) => Array<string>(count).fill(color))),
  filter: fc.constantFrom(...filters),
  limit: fc.integer({ min: 1, max: 6 }),
  seen: fc.integer({ min: 1, max: 4 }),
  events,
});

test('paging back and forth during writes returns each remaining record once, in order', async () => {
  const property = fc.asyncProperty(worlds, async ({ given, filter, limit, seen, events }) => {
    const scope = countingRuntime().scopeOf(newTenantName());
    const records = recordStore(scope);
    const pages = recordStore({ ...scope, table: shortSighted(scope.table, seen) });
    const { created } = await records.createMany(
      owner,
      given.map((color, n) => draftOf(color, `${n}`)),
    );
    const staying = new Set(created.map(({ id }) => id));
    let happened = 0;

    async function happen() {
      const event: { insert?: string; remove?: number } = events[happened++] ?? {};
      if (event.insert) await records.create(owner, draftOf(event.insert, `new ${happened}`));
      const id = created[event.remove ?? -1]?.id;
      if (id && staying.delete(id)) await records.remove(id);
    }
    async function follow(from: RecordPage, way: 'nextCursor' | 'prevCursor'): Promise<RecordPage[]> {
      const walked: RecordPage[] = [];
      for (let page = from; page.pagination[way]; walked.push(page)) {
        if (walked.length > 200) throw new Error('The pages do not end');
        await happen();
        page = await pages.list(filter, { limit, cursor: page.pagination[way] });
      }
      return walked;
    }
    const met = (walked: RecordPage[]) =>
      walked.flatMap((page) => page.records.map(({ id }) => id)).filter((id) => staying.has(id));

    const first = await pages.list(filter, { limit });
    const forth = [first, ...(await follow(first, 'nextCursor'))];
    const lastPage = forth.at(-1) as RecordPage;
    const back = [...(await follow(lastPage, 'prevCursor')).toReversed(), lastPage];
    const wanted = created
      .filter(({ id, type }) => staying.has(id) && (meansAll(filter) || type === 'red'))
      .map(({ id }) => id)
      .toReversed();
    expect(met(forth)).toEqual(wanted);
    expect(met(back)).toEqual(wanted);
  });
  await fc.assert(property, { numRuns: 60 });
}, 120_000);
