import type { Part } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { approve, calls, createScriptedAgent, followed, scripted } from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import {
  a2aClient,
  a2aProtocols,
  a2aWorld,
  addSkill,
  data,
  sending,
  shownEvents,
  shownTask,
  taskIn,
  text,
} from '../../support/surfaces/a2a-surface.ts';

const local = {
  name: 'thermometer',
  description: 'Reads it',
  toolType: 'local',
  config: {},
  parametersSchema: { type: 'object', properties: { room: { type: 'string' } } },
};
/** An agent that waits for the output of a tool, for an approval, or for both. */
async function world(
  waitsFor: ('thermometer' | 'calculator')[],
  behavior: object | undefined = { approvals: true },
) {
  const made = await a2aWorld(undefined, { behavior });
  const { id } = await createTool(made.tenant, local);
  const require = waitsFor.includes('calculator') ? ['calculator'] : [];
  const agent = await createScriptedAgent(made.tenant, {
    tools: { toolIds: [id, 'builtin:calculator'], approval: { require } },
  });
  await addSkill(made, { capabilityName: 'Ask', agentId: agent.id });
  const turn = calls(
    ...(waitsFor.map((name) =>
      name === 'thermometer' ? [name, { room: 'attic' }] : [name, { expression: '2' }],
    ) as never[]),
  );
  return { ...made, agent, message: sending([text(scripted(turn, { text: 'warm' }))], { skillId: 'ask' }) };
}

const answering = (taskId: string, ...parts: Part[]) => sending(parts, { taskId });
interface Question {
  inputRequired: {
    type: string;
    toolCallId?: string;
    approvalId?: string;
    toolName: string;
    parameters: unknown;
  }[];
}

test.concurrent.each(a2aProtocols)(
  '%s %s: a local tool asks for its output, and the answer continues the task',
  async (...protocol) => {
    const { url, key, message } = await world(['thermometer']);
    const client = await a2aClient(url, key, protocol);
    const asked = taskIn(await client.sendMessage(message));
    expect(shownTask(asked)).toEqual({
      state: 'input-required',
      answer: [],
      said: [
        'Execute thermometer and send its output.',
        {
          inputRequired: [
            {
              type: 'tool',
              toolCallId: expect.stringMatching(/^call_/),
              toolName: 'thermometer',
              parameters: { room: 'attic' },
            },
          ],
        },
      ],
    });
    const ended = taskIn(await client.sendMessage(answering(asked.id, data({ celsius: 21 }))));
    expect(shownTask(ended)).toMatchObject({ state: 'completed', answer: ['warm'] });
    expect(ended.id).toBe(asked.id);
    expect(ended.history.map(({ parts }) => parts[0]?.content?.value)).toEqual([
      expect.any(String),
      { celsius: 21 },
    ]);
  },
);

test.concurrent.each([
  ['approve', 'approved'],
  ['Denied, it is too expensive', 'denied'],
])('an approval is answered by the text %s', async (words, decision) => {
  const { url, key, message, agent, tenant } = await world(['calculator']);
  const client = await a2aClient(url, key);
  const asked = taskIn(await client.sendMessage(message));
  expect(shownTask(asked).said).toMatchObject([
    'Approve or deny the call of the tool Calculator.',
    {
      inputRequired: [
        {
          type: 'approval',
          approvalId: expect.stringMatching(/^appr_/),
          title: 'Calculator',
        },
      ],
    },
  ]);
  await expect(client.sendMessage(answering(asked.id, text('perhaps')))).rejects.toThrow('approve or deny');
  expect(shownTask(await client.sendMessage(answering(asked.id, text(words))))).toMatchObject({
    answer: ['warm'],
  });
  const { body } = await tenant.call('GET', `/v1/agents/${agent.id}/executions`);
  const events = await followed(tenant, agent.id, body.data[0].id);
  expect(events.find(({ type }) => type === 'approval_complete')).toMatchObject({ decision });
});

test.concurrent('by default the tenant decides: the task works on, shows nothing of the call, and its caller cannot allow it', async () => {
  const { url, key, message, agent, tenant, path } = await world(['calculator'], {});
  const client = await a2aClient(url, key);
  const asked = taskIn(await client.sendMessage(message));
  const held = [expect.stringContaining('waits for an approval by the operator')];
  expect(shownTask(asked)).toEqual({ state: 'working', said: held, answer: [] });
  expect(JSON.stringify(asked.status)).not.toMatch(/calculator|expression|appr_/);
  const executions = `/v1/agents/${agent.id}/executions`;
  const { data: found } = await expectStatus(200, tenant.call('GET', executions));
  const [{ id: executionId }] = found;
  const [waiting] = (await followed(tenant, agent.id, executionId)).filter(
    ({ type }) => type === 'approval_start',
  );
  const approvalId = waiting?.approvalId as string;
  const decisions = [{ approvalId, decision: 'approved' as const }];
  // Not even if it is switched on after the task has begun.
  await expectStatus(200, tenant.call('PUT', path, { body: { behavior: { approvals: true } } }));
  for (const parts of [[data({ decisions })], [text('approve')]]) {
    await expect(client.sendMessage(answering(asked.id, ...parts))).rejects.toThrow('working');
  }
  const follower = await a2aClient(url, key);
  const seen = shownEvents(follower.resubscribeTask({ id: asked.id, tenant: '' }));
  await approve(tenant, agent.id, { executionId, approvalId, decision: 'approved' });
  expect((await seen).at(-1)).toEqual(['status', 'completed']);
  expect((await seen)[0]).toEqual(['task', 'working']);
});

test.concurrent('of a question and an approval, the caller answers the question only', async () => {
  const { url, key, message } = await world(['thermometer', 'calculator'], {});
  const client = await a2aClient(url, key);
  const asked = taskIn(await client.sendMessage(message));
  const [, question] = shownTask(asked).said as [string, Question];
  expect(question.inputRequired.map(({ toolName }) => toolName)).toEqual(['thermometer']);
  const decisions = [{ approvalId: 'appr_01k9m4v7d3x8qz5w2r6t0y1hbn', decision: 'approved' }];
  await expect(client.sendMessage(answering(asked.id, data({ decisions })))).rejects.toThrow('operator');
  const answered = await client.sendMessage(answering(asked.id, text('21')));
  expect(shownTask(answered)).toMatchObject({
    state: 'working',
    said: [expect.stringContaining('approval')],
  });
});

/** Does something when the first event has come. */
async function* afterFirst<T>(events: AsyncIterable<T>, act: () => Promise<unknown>) {
  let acting: Promise<unknown> | undefined;
  for await (const event of events) {
    yield event;
    acting ??= act();
  }
  await acting;
}

test.concurrent.each(a2aProtocols)(
  '%s %s: who follows a task that waits for its caller sees it to its end',
  async (...protocol) => {
    const { url, key, message } = await world(['thermometer']);
    const client = await a2aClient(url, key, protocol);
    const asked = taskIn(await client.sendMessage(message));
    const events = await shownEvents(
      afterFirst(client.resubscribeTask({ id: asked.id, tenant: '' }), () =>
        client.sendMessage(answering(asked.id, data({ celsius: 21 }))),
      ),
    );
    expect(events[0]).toEqual(['task', 'input-required']);
    expect(events.slice(-2)).toEqual([
      ['answer', ['warm'], expect.anything()],
      ['status', 'completed'],
    ]);
  },
);

test.concurrent('of several questions each is answered, also one after the other', async () => {
  const { url, key, message } = await world(['thermometer', 'calculator']);
  const client = await a2aClient(url, key);
  const asked = taskIn(await client.sendMessage(message));
  const [, question] = shownTask(asked).said as [string, Question];
  const [tool, approval] = question.inputRequired;
  await expect(client.sendMessage(answering(asked.id, text('21')))).rejects.toThrow('toolOutputs');
  const first = await client.sendMessage(
    answering(asked.id, data({ toolOutputs: { [tool?.toolCallId ?? '']: 21 } })),
  );
  expect(shownTask(first)).toMatchObject({
    state: 'input-required',
    said: [expect.stringContaining('Calculator'), { inputRequired: [{ type: 'approval' }] }],
  });
  const decisions = [{ approvalId: approval?.approvalId, decision: 'approved' }];
  const events = await shownEvents(client.sendMessageStream(answering(asked.id, data({ decisions }))));
  expect(events).toEqual([
    ['task', 'working'],
    ['answer', ['warm'], { append: false, lastChunk: true }],
    ['status', 'completed'],
  ]);
});

test.concurrent('a stream ends with the question', async () => {
  const { url, key, message } = await world(['thermometer']);
  const client = await a2aClient(url, key);
  expect((await shownEvents(client.sendMessageStream(message))).at(-1)).toEqual(['status', 'input-required']);
});

test.concurrent.each(a2aProtocols)('%s %s: a flow asks for the output of a tool', async (...protocol) => {
  const made = await a2aWorld();
  const { id: toolId } = await createTool(made.tenant, local);
  const call = {
    type: 'tool-call',
    name: 'measure',
    config: { toolId, parameters: { room: '{{ room }}' }, outputVariable: 'measured' },
  };
  const { url, key } = made;
  const flow = await publishedFlow(made.tenant, [call, template('{{ measured.celsius }} °C')]);
  await addSkill(made, { capabilityName: 'Measure', flowId: flow.id });
  const client = await a2aClient(url, key, protocol);
  const asked = taskIn(await client.sendMessage(sending([data({ room: 'attic' })], { skillId: 'measure' })));
  expect(shownTask(asked)).toMatchObject({
    state: 'input-required',
    said: [
      expect.any(String),
      { inputRequired: [{ type: 'tool', toolName: 'thermometer', parameters: { room: 'attic' } }] },
    ],
  });
  expect(shownTask(await client.getTask({ tenant: '', id: asked.id }))).toEqual(shownTask(asked));
  const ended = await client.sendMessage(answering(asked.id, data({ celsius: 21 })));
  expect(shownTask(ended)).toMatchObject({ state: 'completed', answer: ['21 °C'] });
});

test.concurrent('a task that waits is canceled', async () => {
  const { url, key, message } = await world(['thermometer']);
  const client = await a2aClient(url, key);
  const { id } = taskIn(await client.sendMessage(message));
  expect(shownTask(await client.cancelTask({ tenant: '', id, metadata: undefined })).state).toBe('canceled');
  await expect(client.sendMessage(answering(id, text('21')))).rejects.toThrow('The task is canceled');
});

test.concurrent('a task that has ended, and one that works, take no message', async () => {
  const { url, key } = await a2aWorld();
  const client = await a2aClient(url, key);
  const { id, contextId } = taskIn(await client.sendMessage(sending([text('Ada')])));
  await expect(client.sendMessage(answering(id, text('more')))).rejects.toThrow(
    'Send a message without taskId',
  );
  await expect(
    client.sendMessage(sending([text('x')], { taskId: id, contextId: `${contextId}x` })),
  ).rejects.toThrow('not the context of the task');
});

test.concurrent('what answers nothing, and a file, are refused, and leave no trace', async () => {
  const { url, key, message } = await world(['thermometer']);
  const client = await a2aClient(url, key);
  const asked = taskIn(await client.sendMessage(message));
  const refused = async (given: Part, words: string) =>
    expect(client.sendMessage(answering(asked.id, given))).rejects.toThrow(words);
  await refused(data({ decisions: [] }), 'answers nothing');
  await refused(data({ toolOutputs: {} }), 'answers nothing');
  await refused(data({ toolOutputs: {}, extra: 1 }), 'Unrecognized key: "extra"');
  await refused(data({ decisions: [{ decision: 'approved' }] }), 'decisions.0.approvalId: ');
  const content = { $case: 'url' as const, value: 'https://example.com/a.png' };
  await refused({ ...text(''), content, mediaType: 'image/png' }, 'no files');
  const other = sending([text('warm')], { taskId: asked.id, skillId: 'greet' });
  await expect(client.sendMessage(other)).rejects.toThrow('not the skill of the task');
  const { history } = await client.getTask({ tenant: '', id: asked.id });
  expect(history).toHaveLength(1);
});

test.concurrent('a flow that waits is over when it is deleted', async () => {
  const made = await a2aWorld();
  const { id: toolId } = await createTool(made.tenant, local);
  const call = {
    type: 'tool-call',
    name: 'measure',
    config: { toolId, parameters: { room: '{{ room }}' }, outputVariable: 'measured' },
  };
  const flow = await publishedFlow(made.tenant, [call, template('{{ measured.celsius }} °C')]);
  await addSkill(made, { capabilityName: 'Measure', flowId: flow.id });
  const client = await a2aClient(made.url, made.key);
  const asked = taskIn(await client.sendMessage(sending([text('x')], { skillId: 'measure' })));
  expect(shownTask(asked)).toMatchObject({ state: 'input-required' });
  await expectStatus(204, made.tenant.call('DELETE', `/v1/flows/${flow.id}`));
  await eventually(async () => {
    const task = await client.getTask({ tenant: '', id: asked.id });
    expect(shownTask(task)).toMatchObject({ state: 'failed' });
  });
});

/** A flow that calls a local tool, after other steps. */
async function measuring(...before: object[]) {
  const made = await a2aWorld();
  const { id: toolId } = await createTool(made.tenant, local);
  const call = {
    type: 'tool-call',
    name: 'measure',
    config: { toolId, parameters: { room: 'attic' }, outputVariable: 'measured' },
  };
  const steps = [...before, call, template('{{ measured.celsius }} °C, {{ hint }}')];
  const flow = await publishedFlow(made.tenant, steps);
  await addSkill(made, { capabilityName: 'Measure', flowId: flow.id });
  return { ...made, client: await a2aClient(made.url, made.key) };
}
const measure = (configuration: object = {}) =>
  sending([data({ hint: 'dry' })], { skillId: 'measure' }, configuration);
const asks = { state: 'input-required', said: [expect.stringContaining('thermometer'), expect.anything()] };

test.concurrent('a flow in the background asks for the output of a tool, and continues with it', async () => {
  const { client, tenant } = await measuring();
  const { id } = taskIn(await client.sendMessage(measure({ returnImmediately: true })));
  const task = async () => shownTask(await client.getTask({ tenant: '', id }));
  await eventually(async () => expect(await task()).toMatchObject(asks));
  // Nothing sends the run again, which waits for its caller.
  expect((await tenant.call('GET', '/v1/batch/summary')).body).toMatchObject({ batches: [] });
  const ended = await client.sendMessage(answering(id, data({ celsius: 21 })));
  expect(shownTask(ended)).toMatchObject({ state: 'completed', answer: ['21 °C, dry'] });
  expect(taskIn(ended).history).toHaveLength(2);
});

test.concurrent('a flow that waits for a person works on, says so at once, and shows nothing of the question', async () => {
  const made = await a2aWorld(undefined, {});
  const ask = { type: 'approval', id: 'ask', name: 'Ask', config: { question: 'Is it inside?' } };
  const flow = await publishedFlow(made.tenant, [ask, template('done')]);
  await addSkill(made, { capabilityName: 'Ask', flowId: flow.id });
  const client = await a2aClient(made.url, made.key);
  const asked = taskIn(await client.sendMessage(sending([data({})], { skillId: 'ask' })));
  const held = [expect.stringContaining('waits for an approval by the operator')];
  expect(shownTask(asked)).toEqual({ state: 'working', said: held, answer: [] });
  expect(JSON.stringify(asked)).not.toContain('Is it inside?');
  const { data: runs } = await expectStatus(200, made.tenant.call('GET', '/v1/runs'));
  const body = { stepId: 'ask', choice: 'approve' };
  await expectStatus(200, made.tenant.call('POST', `/v1/runs/${runs[0].id}/answer`, { body }));
  await eventually(async () => {
    const task = await client.getTask({ tenant: '', id: asked.id, historyLength: undefined });
    expect(shownTask(task)).toMatchObject({ state: 'completed', answer: ['done'] });
  }, 20_000);
});

test.concurrent('a flow that waited before asks too, and one that is canceled meanwhile does not', async () => {
  const wait = { ...template('-', 'waited'), type: 'wait-until', config: { delayMs: 11_000 } };
  const { client } = await measuring(wait);
  const [first, second] = await Promise.all([
    shownEvents(client.sendMessageStream(measure())),
    client.sendMessage(measure({ returnImmediately: true })),
  ]);
  expect(first.at(-1)).toEqual(['status', 'input-required']);
  expect(['working', 'input-required']).toContain(shownTask(second).state);
  const canceled = await client.cancelTask({ tenant: '', id: taskIn(second).id, metadata: undefined });
  expect(shownTask(canceled).state).toBe('canceled');
}, 40_000);
