import * as z from 'zod';
import { WaitView, waitView } from '../../shared/domain/run-waits/run-wait.ts';
import { listKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { runFinder } from '../../shared/execution/listed-runs/find-run.ts';
import { runContents } from '../../shared/execution/listed-runs/run-content.ts';
import { openWaits } from '../../shared/execution/run-waits/find-wait.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { covers } from '../../shared/platform/identity/permissions.ts';
import { RunParams, RunRow, readsRuns, runExample, toRunRow } from './schemas.ts';

export const RunDetails = RunRow.extend({
  input: z.unknown().meta({
    description:
      'The input, as far as it is stored: `inputs`, `messages` and `record` of a flow, `messages` of an agent, `recordIds` or `recordType` of a batch, `parameters` of a tool. Null over 1 MB',
  }),
  output: z.unknown().meta({
    description:
      'The output, as far as it is stored: of a flow that of its last step, of a tool its result. Null until the end, over 1 MB, and for batches',
  }),
  waits: z.array(WaitView).meta({
    description:
      'What a flow waits for: open approvals and callbacks, of a batch the first 100 of its records',
  }),
  outputUrl: z.string().optional().meta({
    description: 'An address of an output over 1 MB, as JSON. Whoever has it can read it for an hour',
  }),
}).meta({
  id: 'RunDetails',
  examples: [
    { ...runExample, input: { inputs: { subject: 'Refund' } }, output: { category: 'billing' }, waits: [] },
  ],
});

export const getRun = defineEndpoint({
  id: 'runs.get',
  method: 'GET',
  path: '/v1/runs/{id}',
  permission: readsRuns,
  summary: 'Get a run',
  description:
    'Its row of the list, its input and its output. Those of runs whose results are not stored are null (`storeResults`, an agent without a log). 404 also for a kind that the caller may not read.',
  params: RunParams,
  response: { kind: 'json', bodies: { 200: RunDetails } },
  errors: [400, 404],
  needs: { find: runFinder, contentOf: runContents, waitsOf: openWaits },

  async handle({ params, permissions }, { find, contentOf, waitsOf }) {
    const held = await permissions();
    const run = await find(params.id, listKinds(held, 'READ'));
    const isOpen = run.completedAt === undefined && (run.kind === 'flow' || run.kind === 'batch');
    const mayContinue = covers(held, 'FLOWS:EXECUTE');
    const [content, waits] = await Promise.all([contentOf(run), isOpen ? waitsOf(run.id) : []]);
    return { ...toRunRow(run), ...content, waits: waits.map((wait) => waitView(wait, { mayContinue })) };
  },
});

export const handler = toLambda(getRun);
