import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Note } from '../../../../shared/core/note.ts';
import type { FlowStep } from '../../../../shared/domain/flows/steps/step.ts';
import type { Fact, RequestedCall } from '../../../../shared/execution/agent-loop/facts.ts';
import { type Checkpoint, formatRows } from '../../../../shared/execution/runs/checkpoint.ts';
import { toAgentSpans } from '../../../../shared/execution/traces/agent-trace.ts';
import { flattenSpans, toRunSpan } from '../../../../shared/execution/traces/span-node.ts';
import { toStepSpans } from '../../../../shared/execution/traces/step-spans.ts';
import { expectSound } from '../../../support/flows/sound-trace.ts';

const runId = 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn';
const began = Date.parse('2026-11-26T08:00:00.000Z');
const iso = (at: number) => new Date(began + at).toISOString();
const ms = fc.integer({ min: 0, max: 5_000 });

const { note: anyNote } = fc.letrec<{ note: Note }>((tie) => ({
  note: fc.record(
    {
      k: fc.constantFrom('m', 't', 'f', 's', 'a', 'w'),
      at: ms,
      ms,
      n: fc.string({ maxLength: 5 }),
      id: fc.string({ maxLength: 5 }),
      st: fc.constantFrom('e', 's'),
      f: ms,
      u: fc.array(fc.nat(), { maxLength: 4 }),
      in: fc.array(tie('note'), { maxLength: 3, depthIdentifier: 'note' }),
    },
    { requiredKeys: ['k', 'at', 'ms'] },
  ) as fc.Arbitrary<Note>,
}));
const notes = fc.array(anyNote, { maxLength: 4 });

const attempt = fc.record(
  {
    type: fc.constantFrom('initial', 'retry', 'run-retry'),
    startedAt: ms.map(iso),
    durationMs: ms,
    delayMs: ms,
    status: fc.constantFrom('completed', 'failed', 'empty'),
  },
  { requiredKeys: ['type', 'durationMs', 'status'] },
);

const result = fc.record({
  status: fc.constantFrom('completed', 'failed', 'skipped'),
  at: ms,
  durationMs: ms,
  attempts: fc.array(attempt, { maxLength: 3 }),
  notes,
});

const facts = { id: runId, name: 'x', kind: 'flow', status: 'completed', startedAt: iso(0) } as const;
const steps = new Map([['0', { name: 'a', type: 'wait-until' } as FlowStep]]);

const expectStable = (root: () => Parameters<typeof flattenSpans>[0]) => {
  const { spans, truncated } = flattenSpans(root(), null);
  expectSound({ traceId: '0'.repeat(32), spans });
  expect(truncated).toBe(false);
  expect(flattenSpans(root(), null)).toEqual({ spans, truncated });
};

test('the spans of any flow are sound, and the same each time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(result, { maxLength: 6 }), fc.option(ms), async (results, ends) => {
      const checkpoint = {
        runId,
        results: results.map(({ attempts, notes }, index) => ({
          path: String(index),
          retryCount: 0,
          attempts,
          notes,
        })),
        rows: formatRows(
          runId,
          results.map(({ status, at, durationMs }, index) => [`s${index}`, status, began + at, durationMs]),
        ),
        ...(ends === null && { waiting: { path: '99', since: iso(1) } }),
      } as unknown as Checkpoint;
      const completedAt = ends === null ? null : iso(ends);
      const children = await toStepSpans([checkpoint], steps);
      expectStable(() => toRunSpan({ ...facts, completedAt }, {}, structuredClone(children)));
    }),
  );
});

const call = fc.record({
  result: fc.option(fc.record({ at: ms, durationMs: ms, failed: fc.boolean(), notes })),
  wait: fc.option(fc.record({ kind: fc.constantFrom('approval', 'output'), at: ms, decided: fc.option(ms) })),
});
const turn = fc.record({
  at: ms,
  durationMs: ms,
  attempts: fc.option(fc.array(attempt, { maxLength: 3 })),
  calls: fc.array(call, { maxLength: 3 }),
});

/** The log of a run with these turns. */
const logOf = (turns: readonly (typeof turn extends fc.Arbitrary<infer T> ? T : never)[]) =>
  turns
    .map(({ calls, ...rest }, index) => ({
      ...rest,
      calls: calls.map((each, place) => ({ ...each, id: `call_${index}_${place}` })),
    }))
    .flatMap(({ at, durationMs, attempts, calls }, index): object[] => [
      {
        type: 'turn',
        turn: index + 1,
        at: iso(at),
        durationMs,
        modelUsed: 'a/b',
        spent: { cost: '0' },
        ...(attempts && { attempts }),
        calls: calls.map(({ id }) => ({ id, name: 'tool', toolType: 'x', input: {} }) as RequestedCall),
      },
      ...calls.flatMap(({ id, wait, result }) => [
        ...(wait ? [{ type: 'pause', at: iso(wait.at), waits: [{ callId: id, kind: wait.kind }] }] : []),
        ...(wait && wait.decided !== null ? [{ type: 'decision', callId: id, at: iso(wait.decided) }] : []),
        ...(result
          ? [{ type: 'result', callId: id, spent: { cost: '0' }, ...result, at: iso(result.at) }]
          : []),
      ]),
    ])
    .map((fact, n) => ({ n, lastSeq: n, holder: '', fact: fact as Fact }));

test('the spans of any run of an agent are sound, and the same each time', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 4 }), fc.option(ms), fc.boolean(), (turns, ends, background) => {
      const run = { id: runId, startedAt: iso(0), completedAt: ends === null ? null : iso(ends), background };
      expectStable(() => toRunSpan({ ...facts, ...run, kind: 'agent' }, {}, toAgentSpans(run, logOf(turns))));
    }),
  );
});

test('what is deepest is left out first, and parents come with their children', () => {
  const node = (path: string, children: Parameters<typeof flattenSpans>[0][] = []) => ({
    ...toRunSpan({ ...facts, completedAt: iso(1) }, {}, children),
    path,
  });
  const root = node('', [node('a', [node('a/0'), node('a/1')]), node('b', [node('b/0')])]);
  const { spans, truncated } = flattenSpans(root, null, 4);
  expect(truncated).toBe(true);
  expect(spans.map(({ spanId }) => spanId)).toEqual(
    flattenSpans(root, null)
      .spans.filter((_, index) => [0, 1, 2, 4].includes(index))
      .map(({ spanId }) => spanId),
  );
});

test('calls that begin together are in the order in which they were asked for', () => {
  const called = (name: string, start: number) => ({
    ...toRunSpan({ ...facts, completedAt: iso(20) }, {}, []),
    path: name,
    name,
    kind: 'tool' as const,
    start,
    end: start,
  });
  const calls = [called('first', began + 10), called('second', began + 9), called('early', began + 2)];
  const { spans } = flattenSpans(toRunSpan({ ...facts, completedAt: iso(20) }, {}, calls), null);
  expect(spans.map(({ name, startedAt }) => [name, startedAt])).toEqual([
    ['x', iso(0)],
    ['early', iso(2)],
    ['first', iso(10)],
    ['second', iso(10)],
  ]);
});
