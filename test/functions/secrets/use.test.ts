import { expect, test } from 'vitest';
import {
  createFlow,
  createRecords,
  expectStatus,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const say = (script: string) => ({ type: 'transform-data', name: 'say', config: { script } });
const length = (key: string) => say(`secrets.${key}.length`);

async function withSecret(key = 'TOKEN', value = 'twelve-chars') {
  const tenant = await newTenant();
  const { data } = await expectStatus(201, tenant.call('POST', '/v1/secrets', { body: { key, value } }));
  return { ...tenant, id: data.id as string };
}

const dispatch = (tenant: Pick<Tenant, 'call'>, steps: object[]) =>
  tenant.call('POST', '/v1/dispatch', {
    body: { flow: { name: 'inline', steps }, options: { streamResponse: false } },
  });

test('a run reads the current value: rotated values immediately, and none of a deleted secret', async () => {
  const { id, ...tenant } = await withSecret();
  const output = async () =>
    (await expectStatus(200, dispatch(tenant, [length('TOKEN')]))) as { output: unknown; error: string };
  expect((await output()).output).toBe(12);
  await expectStatus(200, tenant.call('PUT', `/v1/secrets/${id}`, { body: { value: 'fourteen-chars' } }));
  expect((await output()).output).toBe(14);
  await expectStatus(200, tenant.call('DELETE', `/v1/secrets/${id}`));
  expect((await output()).error).toBe('The secret TOKEN has no value: set it through /v1/secrets');
  await expectStatus(201, tenant.call('POST', '/v1/secrets', { body: { key: 'TOKEN', value: 'eightee-' } }));
  expect((await output()).output).toBe(8);
});

test('a run never reads another tenant’s secret of the same key', async () => {
  await withSecret('SHARED_NAME');
  const { body } = await dispatch(await newTenant(), [length('SHARED_NAME')]);
  expect(body).toMatchObject({ success: false, error: expect.stringContaining('SHARED_NAME has no value') });
});

test('results of a flow that runs on records contain secrets only by name', async () => {
  const tenant = await withSecret('TOKEN', 'a-value-to-hide');
  const flow = await publishedFlow(tenant, [say('`My token is {{secret:TOKEN}}`')]);
  await createRecords(tenant, 'thing', 2);
  await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}/step-results`));
  expect(data.map(({ outputPreview }: { outputPreview: string }) => outputPreview)).toEqual(
    Array.from({ length: 2 }, () => expect.stringContaining('My token is [secret:TOKEN]')),
  );
});

test('an inline flow that names a secret requires FLOWS:WRITE, so permission only to run flows cannot read values through one', async () => {
  const tenant = await withSecret();
  const [runner, writer] = await Promise.all([
    newKey(tenant, { permissions: ['FLOWS:EXECUTE'] }),
    newKey(tenant, { permissions: ['FLOWS:EXECUTE', 'FLOWS:WRITE'] }),
  ]);
  const nested = [
    { type: 'conditional', name: 'if', config: { condition: 'true', trueSteps: [length('TOKEN')] } },
  ];
  for (const steps of [[length('TOKEN')], nested]) {
    const refused = await dispatch(runner, steps);
    expect(refused).toMatchObject({
      status: 403,
      body: { details: 'Missing required permission: FLOWS:WRITE' },
    });
    expect((await dispatch(writer, steps)).body).toMatchObject({ success: true, output: 12 });
  }
  expect((await dispatch(runner, [template('no secret')])).status).toBe(200);
  // Whoever may run flows may run a stored flow.
  const flow = await publishedFlow(tenant, [length('TOKEN')]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  expect((await runner.call('POST', '/v1/dispatch', { body })).body).toMatchObject({ output: 12 });
});

const deleted = async (tenant: Tenant & { id: string }) =>
  (await expectStatus(200, tenant.call('DELETE', `/v1/secrets/${tenant.id}`))).referenceCount;

test('deleting a secret returns how many flows name it, in their drafts or published versions', async () => {
  const tenant = await withSecret();
  await createFlow(tenant, [length('TOKEN'), say("'{{secret:TOKEN}}'")]);
  await createFlow(tenant, [length('OTHER')]);
  const changed = await publishedFlow(tenant, [length('TOKEN')]);
  const change = (flowSteps: object[]) =>
    tenant.call('PUT', `/v1/flows/${changed.id}`, { body: { flowSteps } });
  // What is published still names it.
  await expectStatus(200, change([template('none')]));
  const gone = await publishedFlow(tenant, [length('TOKEN')]);
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${gone.id}`));
  const released = await publishedFlow(tenant, [length('TOKEN')]);
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${released.id}`, { body: { flowSteps: [template('none')] } }),
  );
  await expectStatus(200, tenant.call('POST', `/v1/flows/${released.id}/publish`));
  expect(await deleted(tenant)).toBe(2);
});

test('republishing an earlier version makes the flow name its secrets again', async () => {
  const tenant = await withSecret();
  const flow = await publishedFlow(tenant, [length('TOKEN')]);
  const { publishedVersionId: versionId } = await expectStatus(
    200,
    tenant.call('GET', `/v1/flow-versions/${flow.id}`),
  );
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps: [template('none')] } }),
  );
  await expectStatus(200, tenant.call('POST', `/v1/flows/${flow.id}/publish`));
  await expectStatus(
    200,
    tenant.call('POST', `/v1/flow-versions/${flow.id}/publish`, { body: { versionId } }),
  );
  expect(await deleted(tenant)).toBe(1);
});

test('a flow can name at most 40 secrets, including ones that do not exist yet', async () => {
  const tenant = await newTenant();
  const naming = (count: number) =>
    tenant.call('POST', '/v1/flows', {
      body: {
        name: 'f',
        flowSteps: [say(Array.from({ length: count }, (_, n) => `secrets.KEY_${n}`).join('+'))],
      },
    });
  expect((await naming(40)).status).toBe(201);
  expect(await naming(41)).toMatchObject({
    status: 400,
    body: { details: [{ path: 'flowSteps', code: 'TOO_MANY_SECRETS' }] },
  });
});
