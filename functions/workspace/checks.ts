import type { Sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { invalid } from '../../shared/core/errors/errors.ts';
import { createAgentFields } from '../../shared/domain/agents/agent-editor.ts';
import { checkAgent } from '../../shared/domain/agents/checks/check-agent.ts';
import type { FlowStepInput } from '../../shared/domain/flows/checking/flow-step.ts';
import { checkTexts } from '../../shared/domain/flows/checking/flow-steps.ts';
import { type CheckedTool, checkTool, findParametersProblems } from '../../shared/domain/tools/check-tool.ts';
import type { ResourceMembers } from '../../shared/domain/workspace/kinds/kind.ts';

/** @throws 400 */
export async function checkFlowTexts({ flowSteps = [] }: ResourceMembers, sandbox: Sandbox): Promise<void> {
  await checkTexts(flowSteps as FlowStepInput[], ['flowSteps'], sandbox);
}

/** @throws 400 */
export const checkToolTexts = (content: ResourceMembers, sandbox: Sandbox): Promise<void> =>
  checkTool(content as unknown as CheckedTool, sandbox);

/** @throws 400 */
export async function checkParameters(
  { parametersSchema }: ResourceMembers,
  sandbox: Sandbox,
): Promise<void> {
  const schema = parametersSchema as ResourceMembers | null | undefined;
  const problems = await findParametersProblems(schema, ['parametersSchema'], sandbox);
  if (problems.length > 0) throw invalid(problems);
}

/** @throws 400 */
export const checkAgentTexts = (content: ResourceMembers, sandbox: Sandbox): Promise<void> =>
  checkAgent({ ...createAgentFields(''), ...content }, sandbox);
