import { ifRefused } from '../../../platform/data/condition-failed.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { type AgentExecution, agentExecutionEntity } from '../executions/agent-execution.ts';

const followedMs = 20_000;
/** One write in ten seconds, however many follow the run. */
const renewedBeforeMs = 10_000;

type Followed = Pick<AgentExecution, 'followedUntil'>;

export const followedUntilMs = ({ followedUntil }: Followed): number =>
  followedUntil === undefined ? 0 : Date.parse(followedUntil);

/** Lets the process of a run know that somebody follows it, which that process reads when it looks after its lease. */
export async function noteFollower({ table, now }: Scope, execution: AgentExecution): Promise<void> {
  const at = now().getTime();
  if (execution.status !== 'running' || followedUntilMs(execution) - at > renewedBeforeMs) return;
  const write = table.writes.update(
    agentExecutionEntity,
    { id: execution.id },
    { set: { followedUntil: new Date(at + followedMs).toISOString() } },
    {
      expression:
        '#summary.#status = :running AND (attribute_not_exists(#followedUntil) OR #followedUntil < :soon)',
      values: { running: 'running', soon: new Date(at + renewedBeforeMs).toISOString() },
    },
  );
  // Another reader was quicker, or the run is over.
  await table.commit([write]).catch(ifRefused(undefined));
}
