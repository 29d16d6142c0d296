import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Hidden } from '../../../../shared/core/redaction/hidden.ts';
import type { FlowRun, StepResult, StepWait } from '../../../../shared/execution/engine/engine.ts';
import { type EngineEvent, engineEvents } from '../../../support/flows/engine-events.ts';
import { numRuns } from '../../../support/suite/slow.ts';
import { anyStep } from './any-step.ts';
import { notingWorld, secretValue } from './any-world.ts';
import { flowSteps } from './engine-world.ts';

const variables = { a: 1, b: 'x', o: { list: [1, 2] }, vector: [1, 0] };
const timeless = ({ startedAt: _startedAt, durationMs: _durationMs, ...result }: StepResult) => result;

/** What was kept has been through JSON; what only flows on is kept beside it. */
const fromCheckpoint = ({ unmasked, ...result }: StepResult): StepResult => ({
  ...JSON.parse(JSON.stringify(result)),
  ...(unmasked && { unmasked: new Hidden(JSON.parse(JSON.stringify(unmasked.value)), unmasked.keys) }),
});

type World = ReturnType<typeof notingWorld>;
type Kept = Map<string, StepResult>;

/** What a run tells until it ends, is suspended, or is broken off after so many steps. */
async function attempt(run: FlowRun, breakAfter = Number.POSITIVE_INFINITY) {
  const results: StepResult[] = [];
  const suspended: Extract<EngineEvent, { type: 'suspend' }>[] = [];
  let last: EngineEvent | undefined;
  for await (const event of engineEvents(run)) {
    last = event;
    if (event.type === 'step_end') results.push(event.result);
    if (event.type === 'suspend') suspended.push(event);
    if (event.type === 'step_end' && results.length > breakAfter) break;
  }
  return { results, last, suspended };
}

/** Runs to the end, and begins anew, from what was kept, after each break and each wait. */
async function drive(world: World, run: Omit<FlowRun, 'ports'>, breaks: readonly number[]) {
  const done: Kept = new Map();
  const left = [...breaks];
  const all: StepResult[] = [];
  const kept = new Map<string, unknown>();
  const onKept = (path: string, value: unknown) => void kept.set(path, value);
  for (let waiting: StepWait[] = []; ; ) {
    const state = { ports: world.ports, done, waiting, kept: new Map(kept), onKept };
    const { results, last, suspended } = await attempt({ ...run, ...state }, left.shift());
    all.push(...results);
    for (const result of results) done.set(result.path, fromCheckpoint(result));
    if (last?.type === 'run_end') return { results: all, end: last };
    if (last?.type !== 'suspend') continue;
    waiting = suspended.map(({ wait }) => wait);
    world.sleepUntil(new Date(Math.min(...suspended.map(({ until }) => until.getTime()))));
  }
}

test('a run that is interrupted after any step and resumed returns the same as an undisturbed one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { maxLength: 7 }),
      fc.array(fc.nat(4), { maxLength: 4 }),
      async (given, breaks) => {
        const run = { steps: flowSteps(...given), variables, signal: new AbortController().signal };
        const [undisturbed, disturbed] = [notingWorld(), notingWorld()];
        const expected = await drive(undisturbed, run, []);
        const actual = await drive(disturbed, run, breaks);
        expect(actual.results.map(timeless)).toEqual(expected.results.map(timeless));
        expect(actual.end).toEqual(expected.end);
        expect(JSON.stringify(actual)).not.toContain(JSON.stringify(secretValue).slice(1, -1));
        // Nothing was asked of the world twice.
        expect(disturbed.asked).toEqual(undisturbed.asked);
      },
    ),
    { numRuns: numRuns(200) },
  );
});
