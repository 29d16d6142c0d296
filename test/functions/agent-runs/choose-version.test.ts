import { expect, test } from 'vitest';
import {
  approve,
  calls,
  createScriptedAgent,
  followed,
  run,
  scripted,
} from '../../support/agents/agent-runs.ts';
import { publishAgent, updateAgent } from '../../support/agents/agents.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const prompted = (systemPrompt: string) => ({ model: 'generic-openai/mirror', systemPrompt });

type Caller = Pick<Tenant, 'call'>;
const viaExecute = ({ call }: Caller, id: string, options: object) =>
  run({ call } as Tenant, id, 'hello', { options });
const viaDispatch = ({ call }: Caller, id: string, options: object) =>
  call('POST', '/v1/dispatch', {
    body: {
      agent: { id },
      messages: [{ role: 'user', content: 'hello' }],
      options: { streamResponse: false, ...options },
    },
  });

/** The system prompt that a run had. */
async function promptOf(answer: ReturnType<typeof viaDispatch>): Promise<string> {
  const { result } = await expectStatus(200, answer);
  return JSON.parse(result).messages[0].content;
}

const unknownVersion = `agentver_${'0'.repeat(26)}`;

test.each([
  ['POST /v1/agents/{id}/execute', viaExecute],
  ['POST /v1/dispatch', viaDispatch],
])('%s takes the published version, the live agent, or the one that is chosen', async (_, start) => {
  const tenant = await newTenant();
  const { id } = await createScriptedAgent(tenant, prompted('one'));
  const promptWith = (options: object, caller: Caller = tenant) => promptOf(start(caller, id, options));
  expect(await promptWith({})).toBe('one');
  expect(await expectStatus(404, start(tenant, id, { version: 'published' }))).toEqual(
    notFoundBody('Published version'),
  );
  const first = await publishAgent(tenant, id);
  const { draftVersionId } = await updateAgent(tenant, id, { config: { systemPrompt: 'two' } });
  expect(await promptWith({})).toBe('one');
  expect(await promptWith({ version: 'published' })).toBe('one');
  expect(await promptWith({ version: 'draft' })).toBe('two');
  expect(await promptWith({ version: draftVersionId })).toBe('two');
  await publishAgent(tenant, id);
  expect(await promptWith({})).toBe('two');
  expect(await promptWith({ version: first })).toBe('one');
  await updateAgent(tenant, id, { config: { systemPrompt: 'three' } });
  const permissions = ['AGENTS:EXECUTE', 'FLOWS:EXECUTE'];
  const testKey = await newKey(tenant, { permissions, environment: 'test' });
  const liveKey = await newKey(tenant, { permissions });
  expect(await promptWith({}, testKey)).toBe('three');
  expect(await promptWith({ version: 'published' }, testKey)).toBe('two');
  expect(await promptWith({}, liveKey)).toBe('two');
  expect(await promptWith({ version: 'draft' }, liveKey)).toBe('three');
});

test.each([
  ['POST /v1/agents/{id}/execute', viaExecute],
  ['POST /v1/dispatch', viaDispatch],
])('%s: 404 for an unknown version, 400 for one of another agent or a malformed one', async (_, start) => {
  const [tenant, stranger] = [await newTenant(), await newTenant()];
  const [{ id }, other] = [
    await createScriptedAgent(tenant, prompted('one')),
    await createScriptedAgent(tenant, prompted('two')),
  ];
  const ofOther = await publishAgent(tenant, other.id);
  const ofStranger = await publishAgent(stranger, (await createScriptedAgent(stranger)).id);
  for (const version of [unknownVersion, ofStranger]) {
    const refused = await expectStatus(404, start(tenant, id, { version }));
    expect(refused).toEqual(notFoundBody('Agent version'));
  }
  const foreign = await expectStatus(400, start(tenant, id, { version: ofOther }));
  expect(foreign.details).toMatchObject([{ code: 'VERSION_OF_ANOTHER_AGENT' }]);
  expect((await expectStatus(400, start(tenant, id, { version: 'latest' }))).details).toMatchObject([
    { path: 'options.version' },
  ]);
});

test('a run that waits goes on with the content that it was started with', async () => {
  const tenant = await newTenant();
  const tools = { toolIds: ['builtin:calculator'], approval: { require: true } };
  const { id } = await createScriptedAgent(tenant, { tools });
  const script = scripted(calls(['calculator', { expression: '6 * 7' }]), { text: 'done' });
  const { executionId } = await expectStatus(202, run(tenant, id, script, { options: { background: true } }));
  const last = async () => (await followed(tenant, id, executionId)).at(-1);
  await eventually(async () => expect((await last())?.type).toBe('await'));
  await updateAgent(tenant, id, { config: { model: 'generic-openai/broken', tools: { toolIds: [] } } });
  await publishAgent(tenant, id);
  const { approvalId } = (await last()) as { approvalId?: string };
  await expectStatus(200, approve(tenant, id, { executionId, approvalId, decision: 'approved' }));
  await eventually(async () =>
    expect(await last()).toMatchObject({ type: 'execution_complete', finalOutput: 'done', iterations: 2 }),
  );
});
