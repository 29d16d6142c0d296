import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { ModelEvent } from '../../../../shared/adapters/ports/model-port.ts';
import { type FeatureCase, featureCases, turns } from '../../../support/providers/feature-cases.ts';
import { wires } from '../../../support/providers/index.ts';
import { providerTable } from '../../../support/providers/provider-table.ts';
import { startProvider } from '../../../support/providers/stand-in.ts';
import {
  type Expected,
  type Feature,
  features,
  type ReceivedRequest,
  type Wire,
} from '../../../support/providers/wire.ts';

const bothWays = wires.flatMap((wire) =>
  [true, false].map((streamed) => ({ wire, streamed, name: wire.title })),
);

function checkRequest(
  wire: Wire,
  modelId: string,
  streamed: boolean,
  request: ReceivedRequest | undefined,
): void {
  expect(request).toMatchObject({
    method: 'POST',
    path: wire.path(modelId, streamed),
    headers: { 'content-type': 'application/json', ...wire.headers },
    ...(streamed && { body: wire.streamedBody }),
  });
  if (!streamed) expect(request?.body.stream ?? false).toBe(false);
}

const hasBody = (request: ReceivedRequest | undefined, { body, without = [] }: Expected) => {
  expect(request?.body).toMatchObject(body);
  for (const member of without) expect(request?.body).not.toHaveProperty(member);
};

const textsOf = (events: readonly ModelEvent[], type: ModelEvent['type']) =>
  events.flatMap((event) => (event.type === type && 'text' in event && event.text ? [event.text] : []));

const cases = Object.entries(featureCases) as [Feature, FeatureCase][];

test.each(bothWays.flatMap((way) => cases.map(([feature, one]) => ({ ...way, feature, one }))))(
  '$name, streamed $streamed: $feature',
  async ({ wire, streamed, feature, one: { request = {}, reply, response, reasons } }) => {
    const lacking = wire.lacks[feature] !== undefined;
    const modelId = (reasons && wire.reasoningModelId) || wire.modelId;
    const { received, ask } = await startProvider(wire, reply && { reply });
    const asking = ask({ model: modelId, ...request, streamed });
    const expected = wire.requests[feature];
    if (lacking) {
      // An SDK may refuse what its provider lacks.
      const answered = await asking.catch(() => undefined);
      if (expected) expect(() => hasBody(received[0], expected)).toThrow();
      if (response && answered) expect(answered).not.toMatchObject(response);
      return;
    }
    const answered = await asking;
    checkRequest(wire, modelId, streamed, received[0]);
    if (expected) hasBody(received[0], expected);
    if (response) expect(answered).toMatchObject(response);
    if (streamed && reply?.text) expect(textsOf(answered.events, 'text-delta')).toEqual(reply.text);
  },
);

test.each(bothWays)(
  '$name, streamed $streamed: the result of a tool call follows it',
  async ({ wire, streamed }) => {
    const { question, reply, followUp } = turns(false);
    const { received, ask } = await startProvider(wire, { reply });
    const first = await ask({ ...question, streamed });
    const deltas = textsOf(first.events, 'tool-call-delta').join('');
    if (streamed) expect(JSON.parse(deltas)).toEqual({ city: 'Oslo' });
    await ask({ ...question, messages: followUp(first), streamed });
    checkRequest(wire, wire.modelId, streamed, received[1]);
    hasBody(received[1], wire.requests.results as Expected);
  },
);

test.each(bothWays.filter(({ wire }) => wire.requests.returned))(
  '$name, streamed $streamed: reasoning is sent back with the result of a tool call',
  async ({ wire, streamed }) => {
    const { question, reply, followUp } = turns(true);
    const { received, ask } = await startProvider(wire, { reply });
    const model = wire.reasoningModelId ?? wire.modelId;
    const first = await ask({ ...question, model, streamed });
    expect(first.reasoning).toBe('Thinking');
    await ask({ ...question, model, messages: followUp(JSON.parse(JSON.stringify(first))), streamed });
    hasBody(received[1], wire.requests.returned as Expected);
  },
);

test('each wire format has each feature, or says why not', () => {
  for (const { title, requests, lacks } of wires) {
    for (const feature of ['results', 'returned'] as const) {
      expect(Boolean(requests[feature]) !== Boolean(lacks[feature]), `${title}: ${feature}`).toBe(true);
    }
  }
});

test('docs/providers.md shows the features of the wire formats', async () => {
  const file = 'docs/providers.md';
  const text = await readFile(file, 'utf8');
  const [before, , after] = text.split(/(?<=<!-- table -->\n)([\s\S]*?)(?=<!-- \/table -->)/);
  const wanted = `${before}${providerTable(wires, features)}${after}`;
  if (process.env.UPDATE_DOCS) await writeFile(file, wanted);
  else expect(text, 'Run UPDATE_DOCS=1 npx vitest run test/shared/adapters/models/wire-formats').toBe(wanted);
});
