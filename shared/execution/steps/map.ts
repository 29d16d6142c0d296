import { evaluateExpression } from '../../adapters/code/evaluate-code.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { type MapConfig, mapItemsMax, mapStep } from '../../domain/flows/step-types/map.ts';
import { createInsideError, openStop, type StepInside } from '../step-support/held-run.ts';
import { defineHoldingRunner } from '../step-support/step-runner.ts';

type ItemEnd = { output: unknown } | { error: string } | 'waiting';

export const mapRunner = defineHoldingRunner(mapStep, {
  async hold(step) {
    const { concurrency = 5, onError } = step.config;
    const absorbs = onError === 'continue';
    const items = await getItems(step);
    const stop = openStop(step.signal);
    const ends: ItemEnd[] = [];
    await step.inside.forEach(items.entries(), concurrency, ([index, item]) =>
      stop.runUnlessStopped(async () => {
        const end = await runItem(step, { index, item, absorbs, signal: stop.signal });
        if (end instanceof StepError) stop.stop(end);
        else ends[index] = end;
      }),
    );
    if (stop.cause) throw stop.cause;
    if (ends.includes('waiting')) return { isWaiting: true };
    const output = ends.map((end) => (end !== 'waiting' && 'output' in end ? end.output : null));
    const errors = ends.flatMap((end, index) =>
      end !== 'waiting' && 'error' in end ? [{ index, error: end.error }] : [],
    );
    return { output, ...(absorbs && { errors }) };
  },
});

/** The list, which stays the same when the run resumes. */
async function getItems({
  config,
  variables,
  ports,
  signal,
  inside,
}: StepInside<MapConfig>): Promise<unknown[]> {
  const kept = inside.kept();
  if (kept) return kept as unknown[];
  const items = await evaluateExpression(ports.sandbox, config.items, variables, {
    signal,
    shown: ports.shown,
  });
  if (!Array.isArray(items)) {
    throw new StepError(
      `items is no list: the expression gives ${describeType(items)}; change the expression`,
    );
  }
  if (items.length > mapItemsMax) {
    throw new StepError(`items has ${items.length} items; a map takes at most ${mapItemsMax}`);
  }
  inside.keep(items);
  return items;
}

const describeType = (value: unknown) => (value === null ? 'null' : `a value of the type ${typeof value}`);

interface Item {
  index: number;
  item: unknown;
  absorbs: boolean;
  signal: AbortSignal;
}

/** @returns a StepError if the item fails and the step with it. */
async function runItem(
  { config, ports, inside }: StepInside<MapConfig>,
  { index, item, absorbs, signal }: Item,
): Promise<ItemEnd | StepError> {
  const { as = 'item', indexAs, steps } = config;
  const inputs = { [as]: item, ...(indexAs !== undefined && { [indexAs]: index }) };
  const list = { key: `i${index}`, steps, inputs, scope: 'own' as const, absorbs, signal };
  const end = await inside.run(list);
  if (end.status === 'waiting') return 'waiting';
  if (end.status === 'failed') {
    return absorbs ? { error: end.failure.error ?? '' } : createInsideError(`Item ${index}`, end.failure);
  }
  if (config.output === undefined) return { output: end.output };
  try {
    return {
      output: await evaluateExpression(ports.sandbox, config.output, end.variables, {
        signal,
        shown: ports.shown,
      }),
    };
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return absorbs ? { error: error.message } : new StepError(`Item ${index} failed: ${error.message}`);
  }
}
