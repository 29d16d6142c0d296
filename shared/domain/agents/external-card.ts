import { type AgentCard, selectInterface } from '../../adapters/a2a-client/agent-card.ts';
import type { Agent } from './config/agent.ts';
import type { CachedAgentCard, ExternalConfig, Skill } from './config/external-config.ts';

const skillsMax = 500;
const idCharactersMax = 255;
const descriptionCharactersMax = 2_000;

/** Of all skills together: an agent is one item of the table. */
const charactersMax = 100_000;

export const agentCardUrl = ({ agentType, externalConfig }: Pick<Agent, 'agentType' | 'externalConfig'>) =>
  agentType === 'external' ? (externalConfig?.agentCardUrl ?? externalConfig?.endpoint) : undefined;

/** What is stored of a card: texts are cut, and what does not fit is left out. */
export function toCachedCard(card: AgentCard, fetchedAt: string): CachedAgentCard {
  const { streaming, pushNotifications, statefulness } = card.capabilities ?? {};
  const skills: Skill[] = [];
  let characters = 0;
  for (const skill of (card.skills ?? []).map(toStoredSkill)) {
    if (!skill || skills.length === skillsMax || skills.some(({ id }) => id === skill.id)) continue;
    characters += JSON.stringify(skill).length;
    if (characters > charactersMax) break;
    skills.push(skill);
  }
  return {
    name: cut(card.name, idCharactersMax),
    description: cut(card.description, descriptionCharactersMax),
    version: cut(card.version, 100),
    url: cut(card.url, 2_000),
    protocolBinding: cut(selectInterface(card)?.protocolBinding, 100),
    protocolVersion: cut(card.protocolVersion, 100),
    fetchedAt,
    capabilities: { streaming, pushNotifications, statefulness },
    skills,
  };
}

const cut = (text: string | undefined, charactersMax: number) => text?.slice(0, charactersMax).toWellFormed();

function toStoredSkill(skill: NonNullable<AgentCard['skills']>[number]): Skill | undefined {
  const { id = skill.name, name = id, description, inputSchema, outputSchema } = skill;
  if (!id || id.length > idCharactersMax || !id.isWellFormed()) return undefined;
  return {
    id,
    name: cut(name, idCharactersMax) ?? id,
    description: cut(description, descriptionCharactersMax),
    inputSchema,
    outputSchema,
  };
}

/** What a refresh of a card changed. The lists hold ids of skills. */
export interface CardChanges {
  skillsAdded: string[];
  skillsRemoved: string[];
  rolesAutoApplied: string[];
  lastRefresh: string;
}

/** New skills get a role unless the tenant gave one: a single skill stands alone, one of several is a tool. */
export function applyCard(
  config: ExternalConfig,
  card: CachedAgentCard,
): { config: ExternalConfig; changeReport: CardChanges } {
  const { skills = [], fetchedAt: lastRefresh = '' } = card;
  const ids = skills.map(({ id }) => id);
  const earlierIds = (config.cachedAgentCard?.skills ?? []).map(({ id }) => id);
  const overrides = (config.skillsOverride ?? []).filter(({ id }) => ids.includes(id));
  const skillsAdded = ids.filter((id) => !earlierIds.includes(id));
  const rolesAutoApplied = skillsAdded.filter((id) => !overrides.some((each) => each.id === id));
  const role = skills.length === 1 ? ('standalone' as const) : ('tool' as const);
  const added = rolesAutoApplied.map((id) => ({ id, enabled: true, role, isNew: true }));
  const skillsRemoved = earlierIds.filter((id) => !ids.includes(id));
  return {
    config: { ...config, cachedAgentCard: card, skillsOverride: [...overrides, ...added] },
    changeReport: { skillsAdded, skillsRemoved, rolesAutoApplied, lastRefresh },
  };
}
