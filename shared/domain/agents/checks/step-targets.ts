import { detailAt, type ErrorDetail, invalid } from '../../../core/errors/errors.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { FlowStepInput } from '../../flows/checking/flow-step.ts';
import { runtimeToolsIn, toolTarget } from '../../flows/checking/runtime-tools.ts';
import { stepNodesOf } from '../../flows/checking/step-nodes.ts';
import { flowEntity } from '../../flows/flow.ts';
import { ownToolsOf } from '../../flows/steps/prompt-tools.ts';
import { flowTargetProblems } from '../../flows/sub-flows/check-targets.ts';
import { flowTarget } from '../../flows/sub-flows/flow-targets.ts';
import { assertConnections, connectionsOfServers } from '../../mcp-connections/named-connections.ts';
import { agentEntity } from '../config/agent.ts';

interface Target {
  kind: 'flow' | 'agent';
  id: string;
  /** Within the body. */
  path: PropertyKey[];
}

const keyOf = ({ kind, id }: Target) => (kind === 'flow' ? flowEntity.key({ id }) : agentEntity.key({ id }));

export const unknownTarget = ({ kind, id }: Pick<Target, 'kind' | 'id'>) => `There is no ${kind} ${id}`;

/** @throws 400 with the path of each flow, agent or connection that does not exist, or that is the flow of the steps itself. */
export const assertStepTargets = /* @__PURE__ */ using(
  ['table:read', 'payloads'],
  (scope: Scope) =>
    async (steps: readonly FlowStepInput[], path: readonly PropertyKey[], flowId?: string): Promise<void> => {
      const { table } = scope;
      const nodes = [...stepNodesOf(steps, { path: [...path] })];
      const connections = nodes.flatMap(({ step, path: at }) =>
        step.enabled
          ? connectionsOfServers(ownToolsOf(step).mcpServers, [...at, 'config', 'tools', 'mcpServers'])
          : [],
      );
      await assertConnections(table, connections);
      const targets = nodes.flatMap(({ step, path: at }): Target[] =>
        (step.enabled ? runtimeToolsIn(step.config) : []).flatMap((tool) => {
          const target = toolTarget(tool);
          return target ? [{ ...target, path: [...at, ...target.path] }] : [];
        }),
      );
      const subFlows = nodes.flatMap(({ step, path: at }) => {
        const target = flowTarget(step);
        return target ? [{ ...target, path: [...at, 'config'] }] : [];
      });
      if (targets.length + subFlows.length === 0) return;
      const found = await table.getMany(targets.map(keyOf));
      const problems = targets.flatMap((target, index): ErrorDetail[] => {
        if (!found[index])
          return [
            detailAt(
              target.path,
              target.kind === 'flow' ? 'UNKNOWN_FLOW' : 'UNKNOWN_AGENT',
              unknownTarget(target),
            ),
          ];
        return target.id === flowId ? [detailAt(target.path, 'INVALID_VALUE', callsItself)] : [];
      });
      const all = [...problems, ...(await flowTargetProblems(scope, subFlows, flowId))];
      if (all.length > 0) throw invalid(all);
    },
);

const callsItself = 'The flow would run itself. Choose another flow';
