import { newId } from '../../../../shared/core/ids.ts';
import { usageWrites } from '../../../../shared/domain/model-usage/usage.ts';
import { runKinds } from '../../../../shared/domain/runs/run.ts';
import { runEnd } from '../../../../shared/domain/runs/run-end.ts';
import { listRun, statusWrite } from '../../../../shared/domain/runs/run-list.ts';
import { noTotals } from '../../../../shared/domain/runs/run-use.ts';
import { runFinder } from '../../../../shared/execution/listed-runs/find-run.ts';
import { runList } from '../../../../shared/execution/listed-runs/list-runs.ts';
import type { Pattern } from './access-pattern.ts';
import type { AccessWorld } from './access-world.ts';

const newRun = () => ({
  id: newId('exec'),
  kind: 'flow' as const,
  name: 'A flow',
  flowId: newId('flow'),
  trigger: { type: 'api' as const, userId: 'ada' },
  startedAt: new Date().toISOString(),
});

/** The first run of an hour marks it, in each process. */
async function listed({ scope }: AccessWorld) {
  const run = newRun();
  await listRun(scope, run);
  return run;
}

const ending = () => ({
  status: 'completed' as const,
  at: new Date().toISOString(),
  totals: noTotals,
  error: null,
});

/** How the list of runs is written and read. */
export const runListPatterns: Record<string, Pattern> = {
  'List a run from its start': {
    commands: 'PutItem',
    units: 1,
    run: async (world) => {
      await listed(world);
      return () => listed(world);
    },
  },
  'End a run that is not stored': {
    commands: 'TransactWriteItems',
    units: [2, 6, 4],
    run: async (world) => {
      const run = await listed(world);
      await runEnd(world.scope, run, ending());
      const calls = world.modelResult().modelCalls;
      return async () => {
        const { writes } = await runEnd(world.scope, run, ending());
        await world.scope.table.commit([...writes, ...usageWrites(world.scope, [{ flowId: null, calls }])]);
      };
    },
  },
  'Say that a listed run waits': {
    commands: 'UpdateItem',
    units: 1,
    run: async (world) => {
      const run = await listed(world);
      return () => world.scope.table.commit([statusWrite(world.scope, run, 'paused')]);
    },
  },
  'List runs': {
    commands: 'Query, BatchGetItem',
    units: [0.5, 12, 5.5],
    run: async (world) => {
      for (let n = 0; n < 5; n++) await listed(world);
      return () => runList(world.scope)({ kinds: runKinds, root: true, limit: 20 });
    },
  },
  'Get a listed run': {
    commands: '2 BatchGetItem',
    units: [1, 4],
    run: async (world) => {
      const { id } = await listed(world);
      return () => runFinder(world.scope)(id, runKinds);
    },
  },
};
