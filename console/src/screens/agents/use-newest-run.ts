import type { AnswerOf } from '../../api/api.ts';
import { useCall } from '../../api/queries.ts';

export type Run = AnswerOf<'GET /v1/agents/{id}/executions'>['data'][number];

/** One that waits for somebody may do so for days. */
const everyMs: Partial<Record<Run['status'], number>> = { running: 3_000, paused: 15_000 };

/** A run as it is now. Asks for this one only, until it ends. */
export function useNewestRun(agentId: string, run: Run): Run {
  const isOpen = run.status in everyMs;
  const { data: answer } = useCall(
    'GET /v1/agents/{id}/executions',
    { params: { id: agentId }, query: { executionId: run.id } },
    {
      enabled: isOpen,
      everyMs: (known) => {
        const last = known ? known.data[0] : run;
        return (last && everyMs[last.status]) ?? false;
      },
    },
  );
  return (isOpen && answer?.data[0]) || run;
}
