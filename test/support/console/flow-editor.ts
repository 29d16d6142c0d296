import { createFlow, expectStatus } from '../flows/flows.ts';
import { newTenant } from '../stack/stack.ts';
import { openConsole } from './console.ts';

/**
 * The editor of a flow in the console.
 * @param places Records of the type `place`: the city of each, by its name.
 * @returns also the bodies of the runs that the page starts.
 */
export async function openFlowEditor(flowSteps: object[], places: Record<string, string>) {
  const tenant = await newTenant();
  for (const [name, city] of Object.entries(places)) {
    const body = { type: 'place', name, metadata: { city } };
    await expectStatus(201, tenant.call('POST', '/v1/records', { body }));
  }
  const { id } = await createFlow(tenant, flowSteps);
  const { page, complaints } = await openConsole({ tenant, screen: `/flows/${id}` });
  const runs: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/dispatch')) runs.push(request.postData() ?? '');
  });
  return { page, tenant, id, runs, complaints };
}
