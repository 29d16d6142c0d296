import type { ExternalConfig, Skill } from '../../domain/agents/config/external-config.ts';

type Override = NonNullable<ExternalConfig['skillsOverride']>[number];

export interface ChosenSkill {
  skill: Skill;
  override: Override | undefined;
}

const defaultPrompt =
  'You answer by means of the skills of another agent, which are your tools. Give each tool all that it needs to know: it does not see this conversation. Pass on questions that the agent asks. Say so if a skill fails.';

/**
 * How messages reach an external agent. `delegate`: the agent gets each message as it is. Otherwise a model answers, with
 * the agent's skills as its tools. `native` and `none` mean `delegate`; `managed` means `agent_skill` with the default
 * prompt.
 */
export function getAgentOrchestration({
  skillOrchestration = 'delegate',
  skillOrchestrator,
}: ExternalConfig) {
  if (skillOrchestration !== 'agent_skill' && skillOrchestration !== 'managed') return 'delegate' as const;
  const { systemPrompt, ...model } = skillOrchestrator ?? { model: 'default' };
  const isManaged = skillOrchestration === 'managed' || !systemPrompt;
  return { ...model, systemPrompt: isManaged ? defaultPrompt : systemPrompt };
}

function listEnabledSkills({ skillsOverride = [], cachedAgentCard }: ExternalConfig): ChosenSkill[] {
  const overrides = new Map(skillsOverride.map((override) => [override.id, override]));
  return (cachedAgentCard?.skills ?? [])
    .map((skill) => ({ skill, override: overrides.get(skill.id) }))
    .filter(({ override }) => override?.enabled !== false && override?.role !== 'hidden');
}

/** The skills that a model may call: those with the role `tool`, else all that are enabled and not hidden. */
export function listToolSkills(config: ExternalConfig): ChosenSkill[] {
  const enabled = listEnabledSkills(config);
  const tools = enabled.filter(({ override }) => override?.role === 'tool');
  return tools.length > 0 ? tools : enabled;
}

/** The skill that delegated messages are for: the one that orchestrates, else the only one that stands alone. */
export function delegateSkill(config: ExternalConfig): string | undefined {
  const enabled = listEnabledSkills(config);
  const orchestrator = enabled.find(({ override }) => override?.role === 'orchestrator');
  const alone = enabled.filter(({ override }) => override?.role === 'standalone');
  return (orchestrator ?? (alone.length === 1 ? alone[0] : undefined))?.skill.id;
}
