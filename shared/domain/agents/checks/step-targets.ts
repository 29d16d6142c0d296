import { type ErrorDetail, invalid, toDetail } from '../../../core/errors/errors.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { TenantTable } from '../../../platform/data/table.ts';
import type { FlowStepInput } from '../../flows/checking/flow-step.ts';
import { findToolTarget, listRuntimeTools, walkStepNodes } from '../../flows/checking/step-nodes.ts';
import { flowEntity } from '../../flows/flow.ts';
import { stepTools } from '../../flows/steps/prompt-tools.ts';
import { findFlowTargetProblems } from '../../flows/sub-flows/check-targets.ts';
import { createFlowReader, type FlowReader, findFlowTarget } from '../../flows/sub-flows/sub-flows.ts';
import { connectionsOfServers, findConnectionProblems } from '../../mcp-connections/named-connections.ts';
import { agentEntity } from '../config/agent.ts';

interface Target {
  kind: 'flow' | 'agent';
  id: string;
  /** Within the body. */
  path: PropertyKey[];
}

const toKey = ({ kind, id }: Target) => (kind === 'flow' ? flowEntity.key({ id }) : agentEntity.key({ id }));

export const unknownTarget = ({ kind, id }: Pick<Target, 'kind' | 'id'>) => `There is no ${kind} ${id}`;

/** What steps refer to, as it is or will be. */
interface TargetSources {
  table: TenantTable;
  flows: FlowReader;
  /** @returns undefined for each that does not exist */
  find: (targets: readonly Target[]) => Promise<readonly unknown[]>;
}

/** @throws 400 with the path of each flow, agent or connection that does not exist, or that is the flow of the steps itself. */
export const assertStepTargets = /* @__PURE__ */ using(
  ['table:read', 'payloads:read'],
  (scope: Scope) =>
    async (steps: readonly FlowStepInput[], path: readonly PropertyKey[], flowId?: string): Promise<void> => {
      const { table } = scope;
      const find: TargetSources['find'] = (targets) => table.getMany(targets.map(toKey));
      const sources = { table, flows: createFlowReader(scope), find };
      const problems = await findStepTargetProblems(sources, { steps, path, flowId });
      if (problems.length > 0) throw invalid(problems);
    },
);

interface PlacedSteps {
  steps: readonly unknown[];
  path: readonly PropertyKey[];
  flowId?: string | undefined;
}

/** Each flow, agent or connection that steps name and that does not exist or does not fit. */
export async function findStepTargetProblems(
  { table, flows, find }: TargetSources,
  { steps, path, flowId }: PlacedSteps,
): Promise<ErrorDetail[]> {
  const nodes = [...walkStepNodes(steps, { path: [...path] })];
  const enabled = nodes.filter(({ step }) => step.enabled);
  const connections = enabled.flatMap(({ step, path: at }) =>
    connectionsOfServers(stepTools(step).mcpServers, [...at, 'config', 'tools', 'mcpServers']),
  );
  const targets = enabled.flatMap(({ step, path: at }): Target[] =>
    listRuntimeTools(step.config).flatMap((tool) => {
      const target = findToolTarget(tool);
      return target ? [{ ...target, path: [...at, ...target.path] }] : [];
    }),
  );
  const subFlows = nodes.flatMap(({ step, path: at }) => {
    const target = findFlowTarget(step);
    return target ? [{ ...target, path: [...at, 'config'] }] : [];
  });
  const found = targets.length > 0 ? await find(targets) : [];
  return [
    ...(await findConnectionProblems(table, connections)),
    ...targets.flatMap((target, index) => findProblem(target, found[index] !== undefined, flowId) ?? []),
    ...(await findFlowTargetProblems(flows, subFlows, flowId)),
  ];
}

function findProblem(target: Target, exists: boolean, flowId: string | undefined): ErrorDetail | undefined {
  const { kind, id, path } = target;
  if (!exists)
    return toDetail(path, kind === 'flow' ? 'UNKNOWN_FLOW' : 'UNKNOWN_AGENT', unknownTarget(target));
  return id === flowId ? toDetail(path, 'INVALID_VALUE', callsItself) : undefined;
}

const callsItself = 'The flow would run itself. Choose another flow';
