import { useCall } from '../../api/queries.ts';
import { FlowWaits } from '../../run/flow-waits.tsx';
import { sharedTexts } from '../../texts/shared.ts';

const runEveryMs = 3_000;

/** What the records of a batch wait for. */
export function BatchWaits({ id }: { id: string }) {
  const run = useCall('runs.get', { params: { id } }, { everyMs: runEveryMs });
  const { waits = [] } = run.data ?? {};
  return (
    waits.length > 0 && (
      <section aria-labelledby="waits">
        <h2 id="waits">{sharedTexts.waitingForInput}</h2>
        <FlowWaits waits={waits} />
      </section>
    )
  );
}
