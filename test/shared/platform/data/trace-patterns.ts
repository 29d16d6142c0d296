import { listRun } from '../../../../shared/domain/runs/run-list.ts';
import type { Batch } from '../../../../shared/execution/batches/batch.ts';
import { toBatchRun } from '../../../../shared/execution/batches/batch-store.ts';
import { runTrace } from '../../../../shared/execution/traces/run-trace.ts';
import type { Pattern } from './access-pattern.ts';
import type { AccessWorld } from './access-world.ts';
import { endedAgent } from './agent-run-patterns.ts';

interface Traced {
  /** A batch that has run twenty records, five in each shard. */
  batchWithRuns: (world: AccessWorld) => Promise<Batch>;
}

/** How the traces of runs are read, by the names in docs/data-model.md. */
export const tracePatterns = ({ batchWithRuns }: Traced): Record<string, Pattern> => ({
  'Trace of a batch of twenty records': {
    manyRecords: true,
    commands: '5 BatchGetItem, 2 GetItem, 4 Query',
    units: [24, 33, 32],
    indexes: 'GSI1',
    run: async (world) => {
      const batch = await batchWithRuns(world);
      await listRun(world.scope, toBatchRun(batch));
      return () => runTrace(world.scope)(batch.id);
    },
  },
  'Trace of a run of an agent': {
    commands: '2 BatchGetItem, GetItem, 2 Query',
    units: [4, 7, 6.5],
    indexes: 'GSI2',
    readsNothing: true,
    run: async (world) => {
      const { id } = await endedAgent(world);
      return () => runTrace(world.scope)(id);
    },
  },
  'Trace of a run of a flow': {
    commands: '2 BatchGetItem, 2 Query, 2 GetItem',
    units: [3, 7.5, 7],
    indexes: 'GSI2',
    readsNothing: true,
    run: async (world) => {
      const id = await world.abandonedRun(world.created[0]?.id ?? '');
      const flow = { flowId: world.flow.id, recordId: world.created[0]?.id ?? '' };
      const startedAt = new Date().toISOString();
      const trigger = { type: 'api' as const };
      await listRun(world.scope, { id, kind: 'flow', name: 'x', ...flow, trigger, startedAt });
      return () => runTrace(world.scope)(id);
    },
  },
});
