import {
  type EngineRunEvent,
  type FlowEnd,
  type FlowRun,
  type OpenWait,
  runFlow,
} from '../../../shared/execution/engine/engine.ts';

/** What happens in a run, in order: its events, then how it ends or in what it waits. */
export type EngineEvent =
  | EngineRunEvent
  | ({ type: 'run_end' } & FlowEnd)
  | { type: 'suspend'; wait: OpenWait; until: Date }
  | { type: 'await'; wait: OpenWait; call: NonNullable<OpenWait['call']> };

export async function* engineEvents(run: FlowRun): AsyncGenerator<EngineEvent, void> {
  const { readable, writable } = new TransformStream<EngineEvent, EngineEvent>();
  const writer = writable.getWriter();
  const work = runFlow({
    ...run,
    async onEvent(event) {
      await run.onEvent?.(event);
      await writer.write(event);
    },
  }).then(
    async (outcome) => {
      for (const event of lastEvents(outcome)) await writer.write(event);
      await writer.close();
    },
    (error) => writer.abort(error),
  );
  // Whoever leaves the loop breaks the run off.
  work.catch(() => {});
  yield* readable as unknown as AsyncIterable<EngineEvent>;
  await work;
}

function lastEvents(outcome: Awaited<ReturnType<typeof runFlow>>): EngineEvent[] {
  if ('end' in outcome) return [{ type: 'run_end', ...outcome.end }];
  return outcome.waits.map((wait) =>
    wait.call
      ? { type: 'await', wait, call: wait.call }
      : { type: 'suspend', wait, until: wait.until ?? new Date(0) },
  );
}
