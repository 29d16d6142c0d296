import { readFileSync } from 'node:fs';
import { type ChatRequest, lastText, type ToolCallAnswer } from '../../../examples/model-stand-in.ts';
import type { createClient } from '../../../packages/client/src/client.ts';

export type CallOperation = ReturnType<typeof createClient>['call'];

const airports = new URL('../../../examples/airports.csv', import.meta.url);

const settings = {
  customModel: { displayName: 'gpt-5-mini', inputCostPer1kTokens: 0.03, outputCostPer1kTokens: 0.12 },
};

/** A model's answers that look like one's own. */
export function sampleAnswer(request: ChatRequest): string | ToolCallAnswer {
  const text = lastText(request);
  const isAfterTool = request.messages.at(-1)?.role === 'tool';
  if (request.tools?.length && !isAfterTool) {
    const name = request.tools[0]?.function.name ?? '';
    return { toolCalls: [{ name, arguments: { expression: '129.90 * 0.8' } }] };
  }
  if (text.startsWith('Subject: ')) return JSON.stringify(ticketLabel(text));
  if (text.includes('airport')) return 'A regional airport that serves island and inland flights.';
  return 'Thank you for your question. You get 103.92 back. Your order was sent on Tuesday, and arrives tomorrow.';
}

/** What the template that classifies tickets asks for. */
function ticketLabel(text: string) {
  const [, category = 'other'] = categories.find(([words]) => words.test(text)) ?? [];
  const priority = /nobody|cannot|blank|damaged/i.test(text) ? 'high' : 'normal';
  return {
    category,
    priority,
    reason: `The text is about ${category === 'other' ? 'something else' : category}.`,
  };
}

const categories: readonly (readonly [words: RegExp, category: string])[] = [
  [/invoice|charged|refund|plan|card|paid|pay|receipt/i, 'billing'],
  [/order|package|deliver|parcel|item|tracking/i, 'delivery'],
  [/would|could|please let|idea|can reminders/i, 'feature'],
  [/thank|open between|partnership|data protection/i, 'other'],
  [/./, 'bug'],
];

const flowSteps = (config: string, failing?: string) => [
  {
    type: 'transform-data',
    name: 'Clean up the name',
    config: {
      script: `${failing ?? ''} return String(_record.metadata.city ?? 'nowhere').trim()`,
      outputVariable: 'city',
    },
  },
  {
    type: 'prompt',
    name: 'Describe it',
    config: { model: config, userPrompt: 'Describe the airport of {{ city }}', outputVariable: 'text' },
  },
  {
    type: 'conditional',
    name: 'Is it long?',
    config: {
      condition: 'text.length > 40',
      trueSteps: [
        {
          type: 'prompt',
          name: 'Shorten it',
          config: { model: config, userPrompt: 'Shorten: {{ text }}', outputVariable: 'short' },
        },
      ],
      falseSteps: [
        { type: 'set-variable', name: 'Keep it', config: { variableName: 'short', value: '{{ text }}' } },
      ],
    },
  },
  { type: 'template', name: 'Write the entry', config: { template: '{{ city }}: {{ short }}' } },
];

/** Fills a workspace with what somebody has who works with the service. @returns what the pictures show. */
export async function fillSampleWorkspace(call: CallOperation) {
  const file = new File([readFileSync(airports)], 'airports.csv');
  await call('records.upload-csv', { body: { file, nameColumn: 'iata', typeColumn: 'state' } });
  const { id: model } = await call('model-configs.create', {
    body: { provider: 'generic-openai', modelId: 'gpt-5-mini', settings } as never,
  });
  await call('model-configs.set-default', { params: { id: model } });
  const flows: string[] = [];
  for (const [name, failing] of [
    ['Describe airports', "if (_record.metadata.city === 'Hilo') throw new Error('The source has no text');"],
    ['Write entries for the guide'],
  ] as const) {
    const body = { name, flowSteps: flowSteps(model, failing) };
    const { id } = await call('flows.create', { body: body as never });
    await call('flows.publish', { params: { id } });
    flows.push(id);
  }
  const config = {
    model,
    systemPrompt:
      'You answer questions of customers about their orders. Calculate refunds with the calculator.',
    loopConfig: { maxTurns: 5 },
    tools: { toolIds: ['builtin:calculator'] },
  };
  const { id: agent } = await call('agents.create', {
    body: { name: 'Support agent', config } as never,
  });
  const [first = '', second = ''] = flows;
  await runAll(call, { flows, agent });
  return { flow: first, other: second, agent };
}

async function runAll(call: CallOperation, { flows, agent }: { flows: readonly string[]; agent: string }) {
  const [first = '', second = ''] = flows;
  const { batchId } = await call('flows.run-on-record-type', {
    params: { id: first },
    body: { recordType: 'HI' },
  });
  for (let n = 0; n < 12; n++) {
    const record = { type: 'airport', name: `Airport ${n}`, metadata: { city: n % 5 ? 'Lihue' : 'Hilo' } };
    const flow = { id: n % 2 ? first : second };
    await call('dispatch.run', {
      body: { flow, record, options: { streamResponse: false, tags: ['guide'] } } as never,
    }).catch(() => {});
    const messages = [{ role: 'user', content: `What is the refund of order ${4_000 + n}?` }];
    await call('agent-runs.execute', {
      params: { id: agent },
      body: { messages, options: { sessionId: 'customer-7' } } as never,
    }).catch(() => {});
  }
  for (;;) {
    const { completedAt } = await call('batches.status', { params: { id: batchId } });
    if (completedAt) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
