import { setTimeout as sleep } from 'node:timers/promises';
import type { createClient, RequestOf } from '../../functions/client.ts';
import { DemoError } from './demo-error.ts';
import { heading, printLabelled } from './output.ts';

type Client = ReturnType<typeof createClient>;

/** Writes a line about each airport, and asks whether it may be published. */
const askingFlow = (model: string): NonNullable<RequestOf<'POST /v1/dispatch'>['body']> => ({
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
  options: { streamResponse: false },
});

/** Runs a flow that waits for two answers, and gives them. */
export async function askPerson({ call }: Client, model: string): Promise<void> {
  heading('A flow that asks a person: POST /v1/runs/{id}/answer');
  const paused = await call('POST /v1/dispatch', { body: askingFlow(model) });
  if (!('executionId' in paused) || !('waits' in paused)) throw new DemoError('The flow did not wait');
  const { executionId: id, waits = [] } = paused;
  printLabelled('Run', `${id} is ${paused.status}, and holds no process`);
  for (const [index, { question, stepPath }] of waits.entries()) {
    const choice = index === 0 ? 'approve' : 'reject';
    await call('POST /v1/runs/{id}/answer', { params: { id }, body: { stepId: stepPath, choice } });
    printLabelled('Answer', `${question} ${choice}`);
  }
  for (;;) {
    const run = await call('GET /v1/runs/{id}', { params: { id } });
    if (run.status === 'completed') return printLabelled('Output', JSON.stringify(run.output));
    if (run.status === 'failed' || run.status === 'cancelled')
      throw new DemoError(run.error?.message ?? `The run is ${run.status}`);
    await sleep(100);
  }
}
