import { runKinds } from '../../../../shared/domain/runs/run.ts';
import { toolExecutionStore } from '../../../../shared/domain/tools/tool-run-store.ts';
import { toolRunEnder } from '../../../../shared/execution/dispatch/end-tool-run.ts';
import { toolRunRecorder } from '../../../../shared/execution/dispatch/tool-executor.ts';
import { runFinder } from '../../../../shared/execution/listed-runs/find-run.ts';
import { runContents } from '../../../../shared/execution/listed-runs/run-content.ts';
import type { Pattern } from './access-pattern.ts';
import type { AccessWorld } from './access-world.ts';

const toolId = 'builtin:date-time';

function opened({ scope }: AccessWorld) {
  const id = scope.newId('toolrun');
  const execution = {
    id,
    toolId,
    status: 'running' as const,
    error: null,
    executionTimeMs: 0,
    startedAt: new Date().toISOString(),
    userId: 'u',
    keyId: null,
    flowExecutionId: null,
    stepId: null,
  };
  const input = () => ({ parameters: { operation: 'now' } });
  const record = toolRunRecorder(scope, {
    execution,
    name: 'date-time',
    origin: { trigger: { type: 'api' } },
    input,
  });
  const ended = { status: 'success' as const, result: 1 };
  return { id, begin: record.begin, end: () => record.end({ ended, notes: [], calls: [], flowId: null }) };
}

async function begun(world: AccessWorld) {
  const run = opened(world);
  await run.begin();
  return run;
}

const found = async (world: AccessWorld) => runFinder(world.scope)((await begun(world)).id, runKinds);

/** How runs of tools by themselves are written and read. */
export const toolRunPatterns: Record<string, Pattern> = {
  'Begin a run of a tool': {
    commands: 'TransactWriteItems',
    units: [2, 6],
    run: (world) => () => opened(world).begin(),
  },
  'End a run of a tool': {
    commands: 'GetItem, TransactWriteItems',
    units: [2.5, 6.5],
    run: async (world) => (await begun(world)).end,
  },
  'Cancel a run of a tool': {
    commands: 'TransactWriteItems',
    units: [2, 4],
    run: async (world) => {
      const run = await found(world);
      return () => toolRunEnder(world.scope).cancel(run);
    },
  },
  'Arguments and result of a run of a tool': {
    commands: 'GetItem',
    units: 1,
    run: async (world) => {
      const run = await found(world);
      return () => runContents(world.scope)(run);
    },
  },
  'List the executions of a tool': {
    commands: 'Query',
    units: 0.5,
    run: async (world) => {
      await begun(world);
      return () => toolExecutionStore(world.scope).list(toolId, world.page());
    },
  },
};
