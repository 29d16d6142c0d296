import { answered, createScriptedAgent, run, scripted } from '../agents/agent-runs.ts';
import { publishAgent } from '../agents/agents.ts';
import { importFile, upload } from '../data/imports.ts';
import { newRecord } from '../data/records.ts';
import { createTool } from '../files/tools.ts';
import { expectStatus, finishedBatch, publishedFlow, runFlowOnRecords, template } from '../flows/flows.ts';
import { createSchedule, daily } from '../flows/schedules.ts';
import { newConfig, newProviderKey } from '../models/model-configs.ts';
import { newTenant } from '../stack/stack.ts';
import { createToken } from '../surfaces/client-tokens.ts';
import { addCapability, addItem, createProduct, createSurface } from '../surfaces/products.ts';

/** From right to left, with markup, and without a place to break the line. */
const longText = (characters: number) => 'مطار<b>W&amp;'.repeat(characters / 12 + 1).slice(0, characters);

/**
 * A tenant with one of everything that the console shows, each with the longest name that the API takes.
 * @returns the ids by the names that the addresses of the screens use.
 */
export async function tenantWithLongNames() {
  const tenant = await newTenant();
  const name = longText(255);
  const type = longText(100);
  const metadata = { [longText(100)]: longText(1_000) };
  const record = await newRecord(tenant, { type, name: longText(500), metadata });
  const steps = [{ ...template(longText(400), 'greeting'), name }];
  const { id: flowId } = await publishedFlow(tenant, steps);
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${flowId}`, { body: { name, description: longText(2_000) } }),
  );
  const { batchId } = await expectStatus(200, runFlowOnRecords(tenant, flowId, type));
  await finishedBatch(tenant, batchId);

  const columns = `name,${longText(100)}`;
  const settings = { type, columns: { [longText(100)]: { as: 'number' } }, fileName: name };
  const { id: importId } = await importFile(tenant, `${columns}\n${longText(255)},x\n`, settings);
  const waiting = await upload(tenant, `${columns}\n${longText(255)},x\n`, settings);

  const agent = await createScriptedAgent(
    tenant,
    { systemPrompt: longText(1_000) },
    { name, description: longText(2_000) },
  );
  await publishAgent(tenant, agent.id);
  const { executionId } = await answered(run(tenant, agent.id, scripted({ text: longText(1_000) })));

  const product = await createProduct(tenant, { name, description: longText(2_000) });
  const capabilityName = longText(100);
  const capability = await expectStatus(201, addCapability(tenant, product.id, { capabilityName, flowId }));
  const surface = await createSurface(tenant, product.id, { name });
  await expectStatus(
    201,
    addItem(tenant, surface, { capabilityId: capability.id, exposedName: capabilityName }),
  );
  await expectStatus(
    201,
    tenant.call('POST', `/v1/products/${product.id}/surfaces/${surface.id}/keys`, { body: { name } }),
  );
  const scheduled = await createSurface(tenant, product.id, { name, type: 'schedule' });
  await createSchedule(
    tenant,
    `/v1/products/${product.id}/surfaces/${scheduled.id}/schedules`,
    daily(flowId),
  );

  await expectStatus(201, tenant.call('POST', '/v1/api-keys', { body: { name } }));
  const secret = { key: 'W'.repeat(64), value: 'not for eyes 42', description: longText(500) };
  await expectStatus(201, tenant.call('POST', '/v1/secrets', { body: secret }));
  const tool = await createTool(tenant, { name: longText(100), description: longText(500) });
  await newProviderKey(tenant, { name: longText(100) });
  await newConfig(tenant, { modelId: 'gpt-5-mini' });
  const { clientToken } = await createToken(tenant, { name, flowIds: [flowId] });
  return {
    tenant,
    ids: {
      // Of a login of the command line: the longest name that a computer may have.
      host: 'h'.repeat(100),
      challenge: 'c'.repeat(43),
      port: '50000',
      state: 's'.repeat(43),
      type: encodeURIComponent(type),
      recordId: record.id,
      importId: [importId, waiting],
      flowId,
      batchId,
      agentId: agent.id,
      executionId,
      runId: [batchId, executionId],
      productId: product.id,
      surfaceId: [surface.id, scheduled.id],
      tokenId: clientToken.id,
      toolId: tool.id,
    } as Readonly<Record<string, string | string[]>>,
  };
}
