import { ifMissing } from '../../core/errors/errors.ts';
import { getIdKind } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { payloadFolders } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import {
  agentExecutionEntity,
  agentRunPartition,
  isExecutionOver,
  runsOfAgentPartition,
} from './agent-execution.ts';
import { endRun } from './sweep-runs.ts';

const runsAtOnce = 100;

/** Removes the executions of a deleted agent with everything in them. Those that are open are cancelled first. */
export const runRemover = /* @__PURE__ */ using([payloadFolders, endRun], (scope: Scope) => {
  const { table } = scope;
  const folders = payloadFolders(scope);

  async function removeRun(id: string): Promise<void> {
    const ending = { stopReason: 'cancelled', error: 'The agent was deleted' } as const;
    const execution = await table.get(agentExecutionEntity, { id }, { consistent: true });
    // Another clean-up may be quicker.
    if (execution && !isExecutionOver(execution)) await endRun(scope, id, ending).catch(ifMissing(false));
    await folders.remove(`agent-runs/${id}`);
    await table.removeRange({ partition: agentRunPartition(id) });
  }

  return async (agentId: string): Promise<void> => {
    const runs = { partition: runsOfAgentPartition(agentId), index: 1, perQuery: runsAtOnce } as const;
    for await (const items of table.pages(runs)) {
      const ids = items.map(({ SK1 }) => String(SK1)).filter((id) => getIdKind(id) === 'exec');
      for (const id of ids) await removeRun(id);
    }
  };
});
