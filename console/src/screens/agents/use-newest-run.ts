import type { AnswerOf } from '../../api/api.ts';
import { useCall } from '../../api/queries.ts';
import { howOftenMs } from '../../run/how-often.ts';

export type Run = AnswerOf<'GET /v1/agents/{id}/executions'>['data'][number];

/** A run as it is now. Asks for this one only, until it ends. */
export function useNewestRun(agentId: string, run: Run): Run {
  const isOpen = run.status in howOftenMs;
  const { data: answer } = useCall(
    'GET /v1/agents/{id}/executions',
    { params: { id: agentId }, query: { executionId: run.id } },
    {
      enabled: isOpen,
      everyMs: (known) => {
        const last = known ? known.data[0] : run;
        return (last && howOftenMs[last.status]) ?? false;
      },
    },
  );
  return (isOpen && answer?.data[0]) || run;
}
