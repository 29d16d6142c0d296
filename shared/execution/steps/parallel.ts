import { parallelStep } from '../../domain/flows/step-types/parallel.ts';
import type { ListOutcome } from '../step-support/held-run.ts';
import { createInsideError, openStop } from '../step-support/held-run.ts';
import { defineHoldingRunner } from '../step-support/step-runner.ts';

export const parallelRunner = defineHoldingRunner(parallelStep, {
  async hold({ config, inside, signal }) {
    const { branches, concurrency = branches.length, onError } = config;
    const absorbs = onError === 'continue';
    const stop = openStop(signal);
    const ends = new Map<string, ListOutcome>();
    await inside.forEach(branches.entries(), concurrency, ([index, { name, steps }]) =>
      stop.runUnlessStopped(async () => {
        const list = { key: `b${index}`, steps, inputs: {}, scope: 'own' as const, absorbs };
        const end = await inside.run({ ...list, signal: stop.signal });
        ends.set(name, end);
        if (end.status === 'failed' && !absorbs)
          stop.stop(createInsideError(`The branch ${name}`, end.failure));
      }),
    );
    if (stop.cause) throw stop.cause;
    const named = branches.map(({ name }) => [name, ends.get(name)] as const);
    if (named.some(([, end]) => end?.status === 'waiting')) return { isWaiting: true };
    const output = named.flatMap(([name, end]) =>
      end?.status === 'completed' ? [[name, end.assigned]] : [],
    );
    const errors = named.flatMap(([branch, end]) =>
      end?.status === 'failed' ? [{ branch, error: end.failure.error ?? '' }] : [],
    );
    return { output: Object.fromEntries(output), ...(absorbs && { errors }) };
  },
});
