import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentEntity } from '../agents/config/agent.ts';
import { listFlowInputs } from '../flows/analysis/variables.ts';
import { flowFinder } from '../flows/flow-store.ts';

type JsonSchema = Record<string, unknown>;

export interface SchemaTarget {
  flowId: string | null;
  agentId: string | null;
}

/** The parameters of every agent. */
const agentParameters = {
  type: 'object',
  properties: { message: { type: 'string', description: 'What to say to the agent' } },
  required: ['message'],
};

/** Of a flow: the variables that its steps read and none sets. @throws 404 if the flow or the agent does not exist. */
export const derivedSchema = /* @__PURE__ */ using(
  ['table:read', flowFinder],
  (scope: Scope) =>
    async ({ flowId, agentId }: SchemaTarget, sandbox: Sandbox): Promise<JsonSchema> => {
      if (agentId !== null) {
        await scope.table.find(agentEntity, { id: agentId });
        return agentParameters;
      }
      const { steps } = await flowFinder(scope).get(flowId ?? '');
      const inputs = await listFlowInputs(steps, sandbox);
      const required = inputs.filter(({ optional }) => !optional).map(({ name }) => name);
      return {
        type: 'object',
        properties: Object.fromEntries(inputs.map(({ name, type }) => [name, type ? { type } : {}])),
        ...(required.length > 0 && { required }),
      };
    },
);
