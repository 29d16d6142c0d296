import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listFlowVersions } from '../../functions/flow-versions/list.ts';
import { newId } from '../../shared/core/ids.ts';
import { toProxyResult } from '../../shared/platform/http/lambda/proxy-result.ts';
import { answerBytesMax } from '../../shared/platform/http/responses/envelope.ts';
import { type SentRecord, withRecords } from '../support/data/records.ts';
import { numRuns } from '../support/suite/slow.ts';

/** What takes more room in an answer than it seems. */
const units = fc.constantFrom('"', '\\', '\n', '\u0001', '漢', '😀', 'x');
/** Texts of one unit each, of up to these characters. */
const filled = (charactersMax: number) =>
  fc.tuple(units, fc.integer({ min: 1, max: charactersMax })).map(([unit, length]) => unit.repeat(length));

const answerBytes = (answer: unknown) => Buffer.byteLength(JSON.stringify(answer));

test('any mix of records: pages fit an answer, and return each record once in both directions', async () => {
  // JSON writes a control character with 6 bytes.
  const contents = fc.array(filled(40_000), { minLength: 60, maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(contents, async (texts) => {
      const drafts = texts.map((text, n): SentRecord => ({ type: 'a', name: `${n}`, metadata: { text } }));
      const { call } = await withRecords(drafts);
      const walk = async (cursor: string, next: 'nextCursor' | 'prevCursor'): Promise<string[][]> => {
        const answer = await call('GET', `/v1/records?limit=100${cursor && `&cursor=${cursor}`}`);
        expect(answer.status).toBe(200);
        expect(answerBytes({ body: JSON.stringify(answer.body) })).toBeLessThan(answerBytesMax);
        const names = answer.body.data.map(({ name }: { name: string }) => name);
        const further = answer.body.pagination[next];
        if (further) return [names, ...(await walk(further, next))];
        if (next === 'prevCursor') return [names];
        const back = answer.body.pagination.prevCursor;
        const before = back ? (await walk(back, 'prevCursor')).toReversed().flat() : [];
        expect(before).toEqual(
          drafts
            .map(({ name }) => name)
            .toReversed()
            .slice(0, before.length),
        );
        expect(before.length + names.length).toBe(drafts.length);
        return [names];
      };
      expect((await walk('', 'nextCursor')).flat()).toEqual(drafts.map(({ name }) => name).toReversed());
    }),
    { numRuns: numRuns(4) },
  );
}, 120_000);

const rows = fc.array(filled(60_000), { minLength: 50, maxLength: 300 });

test('any mix of versions: responses fit an answer, and return each version once', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (texts) => {
      const ids = texts.map(() => newId('flowver')).toReversed();
      const versions = ids.map((id, n) => ({
        id,
        number: 1,
        type: 'published',
        stepCount: 0,
        notes: texts[n],
        stepSummary: null,
        label: null,
        createdAt: '2026-01-01T00:00:00.000Z',
      }));
      const flow = { id: 'flow', publishedVersionId: null };
      const needs = { versions: { list: async () => ({ flow, versions }) } } as never;
      const found: string[] = [];
      for (let hasMore = true; hasMore; ) {
        const request = { params: { flowId: 'flow' }, query: { before: found.at(-1) } } as never;
        const answer = toProxyResult(
          listFlowVersions.response,
          await listFlowVersions.handle(request, needs),
        );
        expect(answerBytes(answer)).toBeLessThan(answerBytesMax);
        const body = JSON.parse(answer.body);
        found.push(...body.versions.map((version: { id: string }) => version.id));
        hasMore = body.hasMore;
      }
      expect(found).toEqual(ids);
    }),
    { numRuns: numRuns(10) },
  );
}, 60_000);
