import { limitQueueTime, sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { assertStepTargets } from '../../shared/domain/agents/checks/step-targets.ts';
import { checkTexts, normaliseSteps } from '../../shared/domain/flows/checking/flow-steps.ts';
import { flowStore } from '../../shared/domain/flows/flow-store.ts';
import { ids } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { FlowResponse, toFlowResponse } from './response-schemas.ts';
import { CreateFlowBody } from './schemas.ts';

export const createFlow = defineEndpoint({
  id: 'flows.create',
  method: 'POST',
  path: '/v1/flows',
  permission: 'FLOWS:WRITE',
  summary: 'Create a flow',
  description:
    'Saves the steps as the flow’s draft. Validates each config against its step type, and parses templates and scripts.',
  body: CreateFlowBody,
  response: { kind: 'json', bodies: { 201: FlowResponse } },
  errors: [400, 503],
  needs: { flows: flowStore, assertTargets: assertStepTargets, sandbox, newId: ids },

  async handle({ body, principal, signal, baseUrl }, { flows, assertTargets, sandbox, newId }) {
    const { userId, organizationId } = principal;
    const member = body.flowSteps || !body.steps ? 'flowSteps' : 'steps';
    const checked = await checkTexts(body[member] ?? [], [member], limitQueueTime(sandbox, signal));
    await assertTargets(checked, [member]);
    const steps = normaliseSteps(checked, newId);
    const flow = await flows.create({ userId, organizationId }, { ...body, steps });
    return toFlowResponse(flow, baseUrl());
  },
});

export const handler = toLambda(createFlow);
