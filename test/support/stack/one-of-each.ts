import { answered, calls, createScriptedAgent, run, scripted } from '../agents/agent-runs.ts';
import { createTool } from '../files/tools.ts';
import { createBudget } from '../flows/budgets.ts';
import { createRecords, expectStatus, publishedFlow, runFlowOnRecords, template } from '../flows/flows.ts';
import { createSchedule, daily, scheduleSurface } from '../flows/schedules.ts';
import { createConnection, newRealm } from '../servers/oauth.ts';
import { createToken } from '../surfaces/client-tokens.ts';
import { alternatingMessages, createConversation, replaceMessages } from '../surfaces/conversations.ts';
import { storedDelivery } from '../surfaces/deliveries.ts';
import { addItem, createSurface, greetingProduct } from '../surfaces/products.ts';
import { newKey } from './keys.ts';
import { type Ids, taskPathIds } from './path-ids.ts';
import { countingRuntime, type Tenant } from './stack.ts';

/** A tenant's own of everything that a path can name. */
export async function oneOfEach(tenant: Tenant): Promise<Ids> {
  const flow = await publishedFlow(tenant, [template('x')]);
  const [record] = await createRecords(tenant, 'thing', 1);
  const { batchId } = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  const { publishedVersionId } = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}`));
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}/step-results`));
  const secret = { key: 'OWN_KEY', value: 'the own value' };
  const { data: created } = await expectStatus(201, tenant.call('POST', '/v1/secrets', { body: secret }));
  return {
    flow: flow.id,
    record: record?.id ?? '',
    batch: batchId,
    flowver: publishedVersionId,
    key: (await newKey(tenant, { environment: 'test' })).id,
    exec: data[0].executionSessionId,
    secret: created.id,
    ...(await modelsOf(tenant)),
    mcpconn: (await createConnection(tenant, { url: (await newRealm()).url })).id,
    tool: (await createTool(tenant)).id,
    ...(await agentOf(tenant)),
    ...(await productOf(tenant)),
    ...(await clockOf(tenant)),
    ...(await chatOf(tenant)),
    ...(await feedbackOn(tenant, batchId)),
    ...(await filesOf(tenant)),
  };
}

/** An import that waits for its file, and an export. */
async function filesOf({ call }: Tenant) {
  const source = { upload: { fileName: 'own.csv' } };
  const body = { source, type: 'own' };
  const imported = await expectStatus(201, call('POST', '/v1/imports', { body }));
  const written = { what: 'records', format: 'csv' };
  const exported = await expectStatus(202, call('POST', '/v1/exports', { body: written }));
  return { import: imported.id as string, export: exported.id as string };
}

async function modelsOf({ call }: Tenant) {
  const model = { provider: 'openai', modelId: 'gpt-5-mini' };
  const key = { provider: 'openai', name: 'own', apiKey: 'the-own-key-of-openai' };
  const modelcfg: string = (await expectStatus(201, call('POST', '/v1/model-configs', { body: model }))).id;
  const { providerKey } = await expectStatus(201, call('POST', '/v1/provider-keys', { body: key }));
  const { id: budget } = await createBudget({ call });
  const body = { name: 'Many', metric: 'runs', scope: {}, windowMinutes: 60, above: 1_000_000 };
  const { id: alert } = await expectStatus(201, call('POST', '/v1/alerts', { body }));
  return {
    alert: alert as string,
    modelcfg,
    providerkey: providerKey.id as string,
    budget: budget as string,
  };
}

/** A product with a surface that has an item, a test key and a delivery. */
async function productOf(tenant: Tenant) {
  const { product, capability } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id);
  const item = await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
  const path = `/v1/products/${product.id}/surfaces/${surface.id}/keys`;
  const key = await expectStatus(201, tenant.call('POST', path, { body: {} }));
  const place = { productId: product.id, surfaceId: surface.id };
  return {
    product: product.id as string,
    productcap: capability.id as string,
    surface: surface.id as string,
    item: item.id as string,
    surfkey: key.id as string,
    slug: item.endpointSlug as string,
    ...taskPathIds('1'),
    delivery: (await storedDelivery(countingRuntime().scopeOf(tenant.tenant), place)).key.id,
  };
}

/** A surface of the type schedule with a schedule, of a product of its own. */
async function clockOf(tenant: Tenant) {
  const { surface, path, flowId, product } = await scheduleSurface(tenant);
  const schedule = await createSchedule(tenant, path, daily(flowId));
  return { clock: surface.id as string, schedule: schedule.id as string, clockproduct: product.id as string };
}

/** A run in the list of runs, with feedback. */
async function feedbackOn({ call }: Tenant, run: string) {
  const path = `/v1/runs/${run}/feedback`;
  return {
    run,
    feedback: (await expectStatus(201, call('POST', path, { body: { rating: 1 } }))).id as string,
  };
}

/** A client token, and a conversation with a message. */
async function chatOf(tenant: Tenant) {
  const { clientToken } = await createToken(tenant);
  const { id: conv } = await createConversation(tenant, { title: 'A conversation' });
  await replaceMessages(tenant, conv, alternatingMessages(1));
  return { clienttoken: clientToken.id as string, conv: conv as string };
}

/** A published agent, with a run that waits for an approval. */
async function agentOf(tenant: Tenant) {
  const { call } = tenant;
  const { id, capabilities } = await createScriptedAgent(
    tenant,
    { tools: { toolIds: ['builtin:calculator'], approval: { require: true } } },
    { capabilities: [{ toolName: 'clock', toolId: 'builtin:date-time' }] },
  );
  const published = await expectStatus(200, call('POST', `/v1/agents/${id}/publish`));
  const script = scripted(calls(['calculator', { expression: '1' }]), { text: 'done' });
  const { executionId, awaits } = (await answered(run(tenant, id, script))).pausedReason;
  const { data: waits } = await expectStatus(200, call('GET', '/v1/waits'));
  return {
    wait: waits[0].id as string,
    agent: id as string,
    agentver: published.publishedVersionId as string,
    cap: capabilities[0].id as string,
    agentexec: executionId as string,
    call: awaits[0].toolCallId as string,
    appr: awaits[0].approvalId as string,
  };
}
