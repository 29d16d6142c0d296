import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, OperationRequest } from '../../packages/client/src/client.ts';
import { DemoError } from './demo-error.ts';
import { heading, printLabelled } from './output.ts';

/** Writes a line about each airport, and asks whether it may be published. */
const askingFlow = (model: string): NonNullable<OperationRequest<'dispatch.run'>['body']> => ({
  flow: {
    name: 'Publish after approval',
    steps: [
      {
        type: 'map',
        name: 'Each airport',
        config: {
          items: '["SFO", "LAX"]',
          steps: [
            {
              type: 'prompt',
              name: 'Write',
              config: { model, userPrompt: 'One friendly line about {{ item }}.', outputVariable: 'line' },
            },
            {
              type: 'approval',
              name: 'Ask',
              config: {
                question: 'Publish the line about {{ item }}?',
                details: '{{ line }}',
                outputVariable: 'said',
              },
            },
          ],
          output: '({ airport: item, isPublished: said.choice === "approve" })',
        },
      },
    ],
  },
});

/** Runs a flow that waits for two answers, and gives them. */
export async function askPerson(client: Client, model: string): Promise<void> {
  heading('A flow that asks a person: POST /v1/runs/{id}/answer');
  const paused = await client.dispatch.run({ body: askingFlow(model) });
  if (!('executionId' in paused) || !('waits' in paused)) throw new DemoError('The flow did not wait');
  const { executionId: id, waits = [] } = paused;
  printLabelled('Run', `${id} is ${paused.status}, and holds no process`);
  for (const [index, { question, stepPath }] of waits.entries()) {
    const choice = index === 0 ? 'approve' : 'reject';
    await client.runs.answer({ params: { id }, body: { stepId: stepPath, choice } });
    printLabelled('Answer', `${question} ${choice}`);
  }
  for (;;) {
    const run = await client.runs.get({ params: { id } });
    if (run.status === 'completed') return printLabelled('Output', JSON.stringify(run.output));
    if (run.status === 'failed' || run.status === 'cancelled')
      throw new DemoError(run.error?.message ?? `The run is ${run.status}`);
    await sleep(100);
  }
}
