import { createHmac, randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { webhookInputs } from '../../../functions/surface-webhooks/event.ts';
import { sandbox } from '../../../shared/adapters/sandbox/sandbox.ts';
import { batchEntity } from '../../../shared/execution/batches/batch.ts';
import { tenantBatchesMax } from '../../../shared/execution/batches/slot-sharing.ts';
import {
  receivedWebhookEntity,
  type WebhookRun,
  webhookStarter,
} from '../../../shared/execution/targets/start-webhook.ts';
import { createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { newSecret } from '../../support/data/secrets.ts';
import { expectStatus, publishedFlow } from '../../support/flows/flows.ts';
import {
  deliveries,
  hookSecret,
  type SchemeName,
  sendWebhook,
  signatureSettings,
  webhookWorld,
} from '../../support/servers/webhooks.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey } from '../../support/stack/keys.ts';
import { call, callerWith, countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';
import { addCapability, addItem } from '../../support/surfaces/products.ts';

const schemeNames = Object.keys(deliveries) as SchemeName[];
const timed = schemeNames.filter((scheme) => scheme !== 'github');
const nowSeconds = () => Math.floor(Date.now() / 1_000);
const refusal = (details: string) => ({ error: 'Unauthorized', details });
const unauthorized = refusal('The API key is invalid or missing');
const notSigned = refusal('The signature is not valid here, or its time is too far from now');
const otherSecret = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;

/** The greetings of the runs of a flow, once there are as many. */
const greetings = ({ call }: Tenant, flowId: string, count: number): Promise<string[]> =>
  eventually(async () => {
    const { data } = await expectStatus(200, call('GET', `/v1/flows/${flowId}/step-results`));
    expect(data).toHaveLength(count);
    return data.map(({ outputPreview }: { outputPreview: string }) => outputPreview);
  });

/** How many runs of a flow there are, also those that have not ended. */
async function batchesOf({ call }: Tenant) {
  const { batches, recent } = await expectStatus(200, call('GET', '/v1/batch/summary'));
  return batches.length + recent.length;
}

const keyOf = async ({ call }: Tenant, path: string, body: object = { environment: 'production' }) =>
  (await expectStatus(201, call('POST', `${path}/keys`, { body }))).key as string;

test.each(schemeNames)('%s: a signed delivery runs the flow with the members of its body', async (scheme) => {
  const { tenant, flow, path } = await webhookWorld(signatureSettings(scheme));
  const { executionId, ...rest } = await expectStatus(202, sendWebhook(path, deliveries[scheme]({})));
  expect([executionId, rest]).toEqual([expect.stringMatching(/^exec_/), {}]);
  const [run] = await eventually(async () => {
    const { data } = await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}/step-results`));
    expect(data).toHaveLength(1);
    return data;
  });
  expect(run).toMatchObject({ executionSessionId: executionId, outputPreview: 'Hello Ada' });
});

test.each(schemeNames)('%s: another secret, another body and no signature are a 401', async (scheme) => {
  const { tenant, path } = await webhookWorld(signatureSettings(scheme));
  const right = deliveries[scheme]({});
  const refused = [
    [deliveries[scheme]({ secret: otherSecret }), notSigned],
    [{ ...right, body: right.body.replace('Ada', 'Eve') }, notSigned],
    [{ ...right, headers: {} }, unauthorized],
  ] as const;
  for (const [delivery, body] of refused) {
    expect(await expectStatus(401, sendWebhook(path, delivery))).toEqual(body);
  }
  expect(await batchesOf(tenant)).toBe(0);
});

test.each(timed)('%s: a signature that is too old, or of the future, is a 401', async (scheme) => {
  const { tenant, path, surface } = await webhookWorld(signatureSettings(scheme));
  const status = async (lateS: number) =>
    (await sendWebhook(path, deliveries[scheme]({ at: nowSeconds() + lateS }))).status;
  expect([await status(-310), await status(310), await status(-280), await status(280)]).toEqual([
    401, 401, 202, 202,
  ]);
  const inbound = { signature: { ...surface.inbound.signature, toleranceSeconds: 30 } };
  await expectStatus(200, tenant.call('PUT', path, { body: { inbound } }));
  expect([await status(-60), await status(-10)]).toEqual([401, 202]);
});

test.each(schemeNames)(
  '%s: a delivery that is sent again gets the first response, and runs once',
  async (scheme) => {
    const { tenant, flow, path } = await webhookWorld(signatureSettings(scheme));
    const id = randomUUID();
    const first = await expectStatus(202, sendWebhook(path, deliveries[scheme]({ id })));
    // As senders do: at another time, with another signature.
    const again = deliveries[scheme]({ id, at: nowSeconds() + 5 });
    expect(await expectStatus(202, sendWebhook(path, again))).toEqual(first);
    expect(await greetings(tenant, flow.id, 1)).toEqual(['Hello Ada']);
    const other = await expectStatus(202, sendWebhook(path, deliveries[scheme]({})));
    expect(other.executionId).not.toBe(first.executionId);
    await greetings(tenant, flow.id, 2);
    expect(await batchesOf(tenant)).toBe(2);
  },
);

test('five deliveries of one id at once are one run', async () => {
  const { tenant, flow, path } = await webhookWorld();
  const delivery = deliveries.github({});
  const answers = await Promise.all(Array.from({ length: 5 }, () => sendWebhook(path, delivery)));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  expect(new Set(answers.map(({ body }) => body.executionId)).size).toBe(1);
  await greetings(tenant, flow.id, 1);
  expect(await batchesOf(tenant)).toBe(1);
});

test('one id at two items of the surface is two deliveries', async () => {
  const { path, tenant, surface, capability } = await webhookWorld();
  const more = { capabilityId: capability.id, endpointSlug: 'again' };
  await expectStatus(201, addItem(tenant, surface, more));
  const delivery = deliveries.github({});
  const [one, other] = [await sendWebhook(path, delivery), await sendWebhook(path, delivery, 'again')];
  expect([one.status, other.status]).toEqual([202, 202]);
  expect(one.body.executionId).not.toBe(other.body.executionId);
});

test('while a secret is rotated, both are valid', async () => {
  const { tenant, path, surface } = await webhookWorld();
  const status = async (secret: string) => (await sendWebhook(path, deliveries.github({ secret }))).status;
  const [old] = surface.inbound.signature.secrets;
  const put = (...secrets: unknown[]) =>
    expectStatus(
      200,
      tenant.call('PUT', path, { body: { inbound: signatureSettings('github', ...secrets) } }),
    );
  const both = await put(otherSecret, old);
  expect([await status(hookSecret), await status(otherSecret)]).toEqual([202, 202]);
  await put(both.inbound.signature.secrets[0]);
  expect([await status(hookSecret), await status(otherSecret)]).toEqual([401, 202]);
});

test('a secret by reference signs as long as it has a value', async () => {
  const { tenant, path } = await webhookWorld(signatureSettings('github', '{{secret:HOOK}}'));
  const delivery = () => sendWebhook(path, deliveries.github({}));
  expect((await delivery()).status).toBe(401);
  const { id } = await newSecret(tenant, { key: 'HOOK', value: hookSecret });
  expect((await delivery()).status).toBe(202);
  await expectStatus(200, tenant.call('DELETE', `/v1/secrets/${id}`));
  expect((await delivery()).status).toBe(401);
});

test('without a valid signature nobody learns what exists', async () => {
  const { path, surface, productId, tenant } = await webhookWorld();
  const other = await webhookWorld();
  const missing = '0'.repeat(26);
  const forged = deliveries.github({ secret: otherSecret });
  const answers = await Promise.all([
    sendWebhook(path, forged),
    sendWebhook(path, forged, 'unknown'),
    sendWebhook(path, { ...forged, body: '{' }),
    sendWebhook(`/v1/products/${productId}/surfaces/surface_${missing}`, forged),
    sendWebhook(`/v1/products/product_${missing}/surfaces/${surface.id}`, deliveries.github({})),
    sendWebhook(`/v1/products/${other.productId}/surfaces/${surface.id}`, deliveries.github({})),
    sendWebhook('/v1/products/x/surfaces/y', forged),
  ]);
  const seen = answers.map(({ status, body, headers }) => ({
    status,
    body,
    limit: headers.get('x-ratelimit-limit'),
  }));
  expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(seen[0]).toMatchObject({ status: 401, body: notSigned });
  const unsigned = { body: '{}', headers: {} };
  const plain = await Promise.all([
    sendWebhook(path, unsigned),
    sendWebhook(`/v1/products/${productId}/surfaces/surface_${missing}`, unsigned),
  ]);
  expect(plain.map(({ status, body }) => [status, body])).toEqual([
    [401, unauthorized],
    [401, unauthorized],
  ]);
  expect(await batchesOf(tenant)).toBe(0);
});

test('a credential of another tenant learns nothing either, and one of the own tenant needs the signature', async () => {
  const { path, productId, tenant } = await webhookWorld();
  const stranger = await newTenant();
  const missing = `/v1/products/${productId}/surfaces/surface_${'0'.repeat(26)}`;
  const authorization = (token: string) => ({ authorization: `Bearer ${token}` });
  for (const headers of [{}, deliveries.github({ secret: otherSecret }).headers]) {
    const sent = { body: '{}', headers: { ...headers, ...authorization(stranger.token) } };
    for (const at of [path, missing]) {
      expect(await expectStatus(404, sendWebhook(at, sent))).toEqual(notFoundBody('Surface'));
    }
    const own = { body: '{}', headers: { ...headers, ...authorization(tenant.token) } };
    expect(await expectStatus(401, sendWebhook(path, own))).toEqual(
      refusal('The surface takes signed requests only'),
    );
  }
  const { body, headers } = deliveries.github({});
  const ignored = { body, headers: { ...headers, ...authorization('of no meaning') } };
  await expectStatus(202, sendWebhook(path, ignored));
});

test('a surface without a signature takes a key of its own, and API keys that may run the item', async () => {
  const { tenant, flow, path } = await webhookWorld({});
  const headers = { 'webhook-id': 'one' };
  const send = (credential: string, id = 'one') =>
    callerWith(credential)('POST', `${path}/webhook/greet`, {
      body: { person: 'Ada' },
      headers: { ...headers, 'webhook-id': id },
    });
  expect((await call('POST', `${path}/webhook/greet`, { body: {} })).status).toBe(401);
  const key = await keyOf(tenant, path);
  const first = await expectStatus(202, send(key));
  expect(await expectStatus(202, send(tenant.token))).toEqual(first);
  const statusOf = async (permission: string) =>
    (await send((await newKey(tenant, { permissions: [permission] })).key)).status;
  expect([await statusOf('PRODUCTS:EXECUTE'), await statusOf('FLOWS:EXECUTE')]).toEqual([202, 202]);
  expect([await statusOf('AGENTS:EXECUTE'), await statusOf('PRODUCTS:WRITE')]).toEqual([403, 403]);
  const narrow = await keyOf(tenant, path, { environment: 'production', scopes: ['other'] });
  expect((await send(narrow)).status).toBe(403);
  const elsewhere = await webhookWorld({});
  expect((await send(await keyOf(elsewhere.tenant, elsewhere.path))).status).toBe(404);
  expect(await greetings(tenant, flow.id, 1)).toEqual(['Hello Ada']);
  const { 'webhook-id': _none, ...withoutId } = headers;
  const plain = { body: { person: 'Ada' }, headers: withoutId };
  await expectStatus(202, callerWith(key)('POST', `${path}/webhook/greet`, plain));
  await expectStatus(202, callerWith(key)('POST', `${path}/webhook/greet`, plain));
  await greetings(tenant, flow.id, 3);
});

test('an agent gets the event as JSON, and its execution names the surface’s type', async () => {
  const { tenant, productId, surface, path } = await webhookWorld();
  const agent = await createScriptedAgent(tenant);
  const given = { capabilityName: 'Ask', agentId: agent.id, parametersSchema: { type: 'object' } };
  const { id } = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId: id }));
  const delivery = deliveries.github({ body: { message: scripted({ text: 'an answer' }) } });
  const answers = await Promise.all(Array.from({ length: 3 }, () => sendWebhook(path, delivery, 'ask')));
  const { executionId } = answers[0]?.body ?? {};
  expect(answers.map(({ body }) => body)).toEqual(Array.from({ length: 3 }, () => ({ executionId })));
  await eventually(async () => {
    const { data } = await expectStatus(200, tenant.call('GET', `/v1/agents/${agent.id}/executions`));
    expect(data).toMatchObject([{ id: executionId, surfaceType: 'webhook', status: 'completed' }]);
  });
});

test('a signed event says what it is; members that cannot be variables are in _input', async () => {
  const { tenant, flow, path } = await webhookWorld();
  const step = {
    type: 'template',
    name: 'greeting',
    config: {
      template: '{{ webhook.event }} {{ webhook.deliveryId }} {{ ref }}',
      outputVariable: 'greeting',
    },
  };
  await expectStatus(200, tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps: [step] } }));
  await expectStatus(200, tenant.call('POST', `/v1/flows/${flow.id}/publish`, { body: {} }));
  const body = { ref: 'main', '1 odd name': 1, _flow: 'x', constructor: 1 };
  await expectStatus(202, sendWebhook(path, deliveries.github({ id: 'the-id', body })));
  expect(await greetings(tenant, flow.id, 1)).toEqual(['push the-id main']);
  const unusable = { ...body, variables: 1, ['x'.repeat(65)]: 1 };
  const { ref, ...others } = unusable;
  const inputs = { webhook: { event: 'push' }, ref, _input: others };
  expect(webhookInputs({ event: 'push' }, unusable)).toEqual(inputs);
  const own = { ...unusable, _input: 'its own' };
  expect(webhookInputs(undefined, own)).toEqual({ ref, _input: { ...others, _input: 'its own' } });
  expect(webhookInputs(undefined, { _input: 'its own' })).toEqual({ _input: 'its own' });
});

test('parameters that do not fit are a 400, which is not remembered', async () => {
  const { tenant, path, productId, capability } = await webhookWorld();
  const parametersSchema = { type: 'object', properties: { person: { type: 'string', maxLength: 3 } } };
  const to = `/v1/products/${productId}/capabilities/${capability.id}`;
  await expectStatus(200, tenant.call('PUT', to, { body: { parametersSchema } }));
  const delivery = (person: unknown) =>
    sendWebhook(path, deliveries.github({ id: 'same', body: { person } }));
  expect((await expectStatus(400, delivery('Grace'))).details).toEqual([
    expect.objectContaining({ path: 'person', code: 'INVALID_VALUE' }),
  ]);
  await expectStatus(202, delivery('Ada'));
});

test.each<[string, (path: string) => ReturnType<typeof sendWebhook>, number, string]>([
  [
    'a GitHub delivery without its id',
    (path) => {
      const { body, headers } = deliveries.github({});
      const { 'x-github-delivery': _id, ...others } = headers;
      return sendWebhook(path, { body, headers: others });
    },
    400,
    'MISSING_REQUIRED_FIELD',
  ],
  ['a list', (path) => sendWebhook(path, signedText('[]')), 400, 'INVALID_VALUE'],
  ['malformed JSON', (path) => sendWebhook(path, signedText('{')), 400, 'MALFORMED_JSON'],
  [
    'a text',
    (path) => {
      const { body, headers } = signedText('person=Ada');
      return sendWebhook(path, { body, headers: { ...headers, 'content-type': 'text/plain' } });
    },
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
])('%s is refused once its signature is valid', async (_what, send, status, code) => {
  const { path, tenant } = await webhookWorld();
  const { details } = await expectStatus(status, send(path));
  expect(details).toEqual([expect.objectContaining({ code })]);
  expect(await batchesOf(tenant)).toBe(0);
});

test('a Stripe event without an id is a 400', async () => {
  const { path } = await webhookWorld(signatureSettings('stripe'));
  const { details } = await expectStatus(400, sendWebhook(path, deliveries.stripe({ body: { id: null } })));
  expect(details[0].message).toContain('the member id of the event');
});

test('Slack gets its challenge if it signs it', async () => {
  const { path, tenant } = await webhookWorld(signatureSettings('slack'));
  const body = { type: 'url_verification', challenge: 'the challenge' };
  expect(await expectStatus(200, sendWebhook(path, deliveries.slack({ body })))).toEqual({
    challenge: 'the challenge',
  });
  expect((await sendWebhook(path, deliveries.slack({ body, secret: otherSecret }))).status).toBe(401);
  expect(await batchesOf(tenant)).toBe(0);
});

test('an active surface responds, a draft and a paused one say why they do not', async () => {
  const { tenant, path } = await webhookWorld();
  const answer = async (status: string) => {
    await expectStatus(200, tenant.call('PUT', path, { body: { status } }));
    const { status: code, body } = await sendWebhook(path, deliveries.github({}));
    return [code, body.details];
  };
  expect(await answer('draft')).toEqual([403, expect.stringContaining('draft')]);
  expect(await answer('paused')).toEqual([403, expect.stringContaining('paused')]);
  expect((await answer('active'))[0]).toBe(202);
});

test('what is disabled, unknown or deleted is a 404 for those who sign', async () => {
  const { tenant, flow, path, item } = await webhookWorld();
  const send = (slug?: string) => sendWebhook(path, deliveries.github({}), slug);
  expect(await expectStatus(404, send('other'))).toEqual(notFoundBody('Endpoint'));
  await expectStatus(200, tenant.call('PUT', `${path}/items/${item.id}`, { body: { enabled: false } }));
  expect(await expectStatus(404, send())).toEqual(notFoundBody('Endpoint'));
  await expectStatus(200, tenant.call('PUT', `${path}/items/${item.id}`, { body: { enabled: true } }));
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  expect((await expectStatus(404, send())).details).toEqual([
    { code: 'NOT_FOUND', message: 'The flow that this endpoint runs was deleted' },
  ]);
  await expectStatus(200, tenant.call('DELETE', path));
  expect((await send()).status).toBe(401);
});

test('a surface of another type has no such endpoint, signed or not', async () => {
  const { tenant, path } = await webhookWorld(signatureSettings('github'), { type: 'api' });
  expect((await sendWebhook(path, deliveries.github({}))).status).toBe(401);
  const answer = callerWith(tenant.token)('POST', `${path}/webhook/greet`, { body: {} });
  expect(await expectStatus(404, answer)).toEqual(notFoundBody('Endpoint'));
});

test('a large event goes through the payload bucket', async () => {
  const { tenant, flow, path } = await webhookWorld();
  const delivery = deliveries.github({ body: { padding: 'x'.repeat(1_000_000) } });
  await expectStatus(202, sendWebhook(path, delivery));
  expect(await greetings(tenant, flow.id, 1)).toEqual(['Hello Ada']);
});

test('a crash between the claim of a delivery and the start of its run: the next delivery starts it', async () => {
  const { tenant, flow, surface } = await webhookWorld();
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const delivery = { surfaceId: surface.id, endpointSlug: 'greet', deliveryId: 'one' };
  const owner = { userId: tenant.userId, organizationId: null, environment: 'production' as const };
  const run: WebhookRun = {
    flowId: flow.id,
    agentId: null,
    inputs: { person: 'Ada' },
    owner,
    delivery,
    surface: { type: 'webhook', productId: surface.productId, surfaceId: surface.id },
  };
  const { commit } = scope.table;
  const crash = vi.fn().mockRejectedValue(new Error('crashed'));
  scope.table.commit = async (writes) => {
    await commit(writes);
    scope.table.commit = crash;
  };
  await expect(webhookStarter(scope)(run, sandbox(scope))).rejects.toThrow('crashed');
  scope.table.commit = commit;
  const claim = await scope.table.get(receivedWebhookEntity, delivery);
  expect(claim?.batchId).toMatch(/^batch_/);
  expect((claim?.ttl ?? 0) - nowSeconds()).toBeGreaterThan(6 * 86_400);
  expect(await scope.table.get(batchEntity, { id: claim?.batchId ?? '' })).toBeUndefined();
  const executionId = await webhookStarter(scope)(run, sandbox(scope));
  expect(await webhookStarter(scope)(run, sandbox(scope))).toBe(executionId);
  expect(await greetings(tenant, flow.id, 1)).toEqual(['Hello Ada']);
  expect(await batchesOf(tenant)).toBe(1);
});

const hmacOf = (body: string) => createHmac('sha256', hookSecret).update(body).digest('hex');

const signedText = (body: string) => {
  const { headers } = deliveries.github({});
  const { 'x-hub-signature-256': _signed, ...others } = headers;
  return { body, headers: { ...others, 'x-hub-signature-256': `sha256=${hmacOf(body)}` } };
};

test('while too many events run, one more is a 429 that is not remembered', async () => {
  const { tenant, productId, surface, path } = await webhookWorld();
  const steps = [{ type: 'wait-until', name: 'wait', config: { delayMs: 3_600_000 } }];
  const waiting = await publishedFlow(tenant, steps);
  const given = { capabilityName: 'Wait', flowId: waiting.id };
  const { id: capabilityId } = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId }));
  for (let sent = 0; sent < tenantBatchesMax; sent += 5) {
    const five = Array.from({ length: 5 }, () =>
      expectStatus(202, sendWebhook(path, deliveries.github({}), 'wait')),
    );
    await Promise.all(five);
  }
  const event = deliveries.github({ id: 'one' });
  const refused = await sendWebhook(path, event);
  expect(refused).toMatchObject({
    status: 429,
    body: { details: 'Too many events are running. Send this one again later' },
  });
  const { batches } = await expectStatus(200, tenant.call('GET', '/v1/batch/summary'));
  await expectStatus(200, tenant.call('POST', `/v1/batch/cancel/${batches[0].id}`));
  await expectStatus(202, sendWebhook(path, event));
}, 60_000);
