import { sweepAgentRuns } from '../../shared/execution/agent-runs/sweep-runs.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(sweepAgentRuns);

/**
 * Scheduled. Ends runs of agents whose process has crashed, or has a worker continue them; ends waits that took too
 * long. @param event `atStart` is true when nothing else runs, as at the start of the embedded stack: leases are then
 * ignored.
 */
const handle = ({ atStart = false }: { atStart?: boolean } = {}): Promise<void> =>
  sweepAgentRuns(productionRuntime(), new Date(), atStart);

export const handler = toWorker('sweep-agents', handle);
