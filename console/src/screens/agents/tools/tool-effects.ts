import { toToolName } from '../../../../../shared/execution/tools/tool-name.ts';
import { agentTexts } from '../../../texts/agents.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { isObject } from '../../../ui/values/schema.ts';

/** What a call of a tool does, as far as the API says it. */
export interface ToolEffect {
  what: string;
  hasEffects: boolean;
}

/** By the type of a stored tool. */
const byType: Record<string, ToolEffect> = {
  external: { what: sharedTexts.httpRequest, hasEffects: true },
  graphql: { what: agentTexts.graphqlRequest, hasEffects: true },
  custom: { what: agentTexts.sandboxedCode, hasEffects: false },
  flow: { what: agentTexts.runsFlow, hasEffects: true },
  local: { what: agentTexts.runsInCaller, hasEffects: true },
  mcp: { what: sharedTexts.mcpServer, hasEffects: true },
  search: { what: sharedTexts.webSearch, hasEffects: true },
  subagent: { what: agentTexts.runsAgent, hasEffects: true },
  advisor: { what: agentTexts.asksModel, hasEffects: true },
};

export const effectOfType = (toolType: string): ToolEffect | undefined => byType[toolType];
export const effectOfBuiltin = (effects: boolean): ToolEffect => ({
  what: sharedTexts.builtIn,
  hasEffects: effects,
});

/** Of a tool that is known by its id alone. */
export const effectOfId = (id: string): ToolEffect | undefined =>
  id.startsWith('mcp:') ? byType.mcp : undefined;

/** What needs an approval, in the config of an agent: every call, or calls of some names and ids. */
export function approvalIn(config: unknown): boolean | readonly string[] {
  const tools = isObject(config) ? config.tools : undefined;
  const approval = isObject(tools) ? tools.approval : undefined;
  const require = isObject(approval) ? approval.require : undefined;
  return require === true || (Array.isArray(require) ? require.map(String) : false);
}

/** Names are compared as the model gets them. */
export function needsApproval(
  approval: boolean | readonly string[],
  { id, name }: { id: string; name: string },
): boolean {
  if (typeof approval === 'boolean') return approval;
  const names = new Set(approval.flatMap((each) => [each, toToolName(each)]));
  return [id, toToolName(id.replace(/^builtin:/, '')), name, toToolName(name)].some((each) =>
    names.has(each),
  );
}
