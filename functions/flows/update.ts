import * as z from 'zod';
import { limitQueueTime, sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { assertStepTargets } from '../../shared/domain/agents/checks/step-targets.ts';
import { checkTexts, normaliseSteps } from '../../shared/domain/flows/checking/flow-steps.ts';
import { flowStore } from '../../shared/domain/flows/flow-store.ts';
import { ids } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { FlowParams, FlowResponse, toFlowResponse } from './response-schemas.ts';
import { UpdateFlowBody } from './schemas.ts';

export const updateFlow = defineEndpoint({
  id: 'flows.update',
  method: 'PUT',
  path: '/v1/flows/{id}',
  permission: 'FLOWS:WRITE',
  summary: 'Update a flow',
  description:
    'Omitted members stay unchanged; `flowSteps` replaces the whole list. Saves to the draft: runs use the published version until you publish the draft.',
  params: FlowParams,
  body: UpdateFlowBody,
  response: {
    kind: 'json',
    bodies: { 200: FlowResponse.extend({ draftVersionId: z.string() }).meta({ id: 'UpdatedFlow' }) },
  },
  errors: [400, 404, 409, 503],
  needs: { flows: flowStore, assertTargets: assertStepTargets, sandbox, newId: ids },

  async handle({ params, body, signal, baseUrl }, { flows, assertTargets, sandbox, newId }) {
    const checked =
      body.flowSteps && (await checkTexts(body.flowSteps, ['flowSteps'], limitQueueTime(sandbox, signal)));
    if (checked) await assertTargets(checked, ['flowSteps'], params.id);
    const steps = checked && normaliseSteps(checked, newId);
    const flow = await flows.update(params.id, { ...body, steps });
    return { ...toFlowResponse(flow, baseUrl()), draftVersionId: flow.draft.id };
  },
});

export const handler = toLambda(updateFlow);
