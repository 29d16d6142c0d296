import { findHeldLists, mapHeldLists } from '../../flows/steps/held-lists.ts';
import { mapReferences, type Places, type ReferenceMap, type ReplaceReference } from './references.ts';

type Members = Record<string, unknown>;

/** The config of a stored tool, or of one that an agent or a step defines. */
export const toolPlaces = {
  'config.flowId': 'flows',
  'config.agentId': 'agents',
  'config.model': 'modelConfigs',
  'config.auth.connectionId': 'mcpConnections',
} as const satisfies Places;

const prefixPlaces = (base: string, places: Places): Places =>
  Object.fromEntries(Object.entries(places).map(([place, target]) => [`${base}.${place}`, target]));

/** What a prompt and an agent have alike. */
const callPlaces: Places = {
  'config.model': 'modelConfigs',
  'config.errorHandling.fallbacks.*.model': 'modelConfigs',
  ...prefixPlaces('config.tools', {
    'toolIds.*': 'tools',
    'toolConfigs.{}': 'tools',
    'perToolLimits.{}': 'tools',
    'approval.require.*': 'tools',
    'subagentConfig.toolPool.*': 'tools',
    'subagentConfig.defaultModel': 'modelConfigs',
    'codeModeConfig.toolPool.*': 'tools',
    'mcpServers.*.auth.connectionId': 'mcpConnections',
    ...prefixPlaces('runtimeTools.*', toolPlaces),
  }),
};

export const agentPlaces: Places = {
  primaryFlowId: 'flows',
  'config.advisor.model': 'modelConfigs',
  'externalConfig.skillOrchestrator.model': 'modelConfigs',
  ...callPlaces,
};

/** Each type of step has a config of its own members, so that none of these means something else in another type. */
export const stepPlaces: Places = {
  'config.flowId': 'flows',
  'config.agentId': 'agents',
  'config.toolId': 'tools',
  'config.embeddingModel': 'modelConfigs',
  ...callPlaces,
};

const ofStep = mapReferences(stepPlaces);

/** References of the steps in `flowSteps`, and of those that they hold. */
export const mapStepReferences: ReferenceMap = (content, change, path = []) => {
  const { flowSteps } = content;
  if (!Array.isArray(flowSteps)) return content;
  return { ...content, flowSteps: mapSteps(flowSteps, change, [...path, 'flowSteps']) };
};

const mapSteps = (
  steps: readonly unknown[],
  change: ReplaceReference,
  path: readonly PropertyKey[],
): unknown[] =>
  steps.map((step, index) => {
    if (typeof step !== 'object' || step === null) return step;
    const at = [...path, index];
    const replaced = replaceVersion(ofStep(step as Members, change, at), step as Members, change, at);
    if (typeof replaced.config !== 'object' || replaced.config === null) return replaced;
    const lists = new Map(findHeldLists(replaced.config).map((held) => [held.steps, held.at]));
    const config = mapHeldLists(replaced.config, (held) =>
      mapSteps(held, change, [...at, 'config', ...(lists.get(held) ?? [])]),
    );
    return { ...replaced, config };
  });

/** A version is named within its flow. */
function replaceVersion(
  step: Members,
  before: Members,
  change: ReplaceReference,
  path: readonly PropertyKey[],
) {
  const { config } = step as { config?: Members };
  const version = config?.version;
  if (step.type !== 'flow' || typeof version !== 'string' || version === 'published') return step;
  const { flowId } = before.config as Members;
  const named = change('flowVersions', version, [...path, 'config', 'version'], String(flowId));
  return { ...step, config: { ...config, version: named } };
}
