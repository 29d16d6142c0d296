import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withNewest } from '../../../../../../console/src/screens/runs/data/newest-pages.ts';

interface Row {
  id: string;
  status: string;
}
const row = (at: number, status = 'completed'): Row => ({
  id: `${at % 2 ? 'exec' : 'batch'}_${String(at).padStart(26, '0')}`,
  status,
});

/** A page of the newest runs before a cursor, as the API answers. */
function page(all: readonly Row[], limit: number, before = Number.POSITIVE_INFINITY) {
  const newest = all.toSorted((a, b) => (a.id.slice(-26) < b.id.slice(-26) ? 1 : -1));
  const rest = newest.filter(({ id }) => Number(id.slice(-26)) < before);
  const data = rest.slice(0, limit);
  const nextCursor = rest.length > limit ? String(Number(data.at(-1)?.id.slice(-26))) : null;
  return { data, pagination: { nextCursor, hasMore: nextCursor !== null, limit } };
}

test('after new runs, ends and deletions on the first page, the list is what the API has', () => {
  const times = fc.uniqueArray(fc.nat(60), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(times, fc.nat(4), fc.func(fc.nat(5)), (known, added, fate) => {
      const limit = 5;
      const before = known.map((at) => row(at, 'running'));
      const first = page(before, limit);
      const second = first.pagination.nextCursor
        ? [page(before, limit, Number(first.pagination.nextCursor))]
        : [];
      const top = new Set(first.data.map(({ id }) => id));
      const now = [
        ...before.flatMap((each) =>
          top.has(each.id) && fate(each.id) === 0
            ? []
            : [{ ...each, status: top.has(each.id) ? 'failed' : each.status }],
        ),
        ...Array.from({ length: added }, (_, index) => row(100 + index)),
      ];
      const fresh = page(now, limit);
      const merged = withNewest([first, ...second], fresh).flatMap(({ data }) => data);
      const ids = merged.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(merged.slice(0, fresh.data.length)).toEqual(fresh.data);
      expect(ids.map((id) => id.slice(-26))).toEqual(
        ids
          .map((id) => id.slice(-26))
          .toSorted()
          .toReversed(),
      );
      // Nothing that is gone from the part that was read again.
      const last = fresh.data.at(-1)?.id.slice(-26) ?? '';
      expect(ids.filter((id) => id.slice(-26) >= last)).toEqual(fresh.data.map(({ id }) => id));
    }),
  );
});

test('with more new runs than a page has, the list begins anew: none between is missing', () => {
  const first = page(
    [1, 2, 3].map((at) => row(at)),
    2,
  );
  const fresh = page(
    [1, 2, 3, 10, 11, 12].map((at) => row(at)),
    2,
  );
  expect(withNewest([first], fresh)).toEqual([fresh]);
});

test('the cursors of the pages stay those of what is shown', () => {
  const all = [1, 2, 3, 4, 5, 6].map((at) => row(at));
  const first = page(all, 2);
  const fresh = page([...all, row(7)], 2);
  const [merged] = withNewest([first], fresh);
  expect(merged?.data.map(({ id }) => Number(id.slice(-26)))).toEqual([7, 6, 5]);
  expect(merged?.pagination).toEqual(first.pagination);
});
