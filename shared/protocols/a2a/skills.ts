import { A2aRefusal, type ServedSkill } from '../../adapters/a2a-server/served-agent.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';

const toSkillId = ({ item }: ExposedItem) => item.endpointSlug ?? item.id;

/** An item as a skill. Its description names its parameters: skills have no member for them. */
export function toServedSkill(exposed: ExposedItem): ServedSkill {
  const { item, capability } = exposed;
  const description = item.exposedDescription ?? capability.capabilityDescription ?? '';
  const { properties = {}, required = [] } = (capability.parametersSchema ?? {}) as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  const names = Object.keys(properties).map((name) =>
    required.includes(name) ? name : `${name} (optional)`,
  );
  const isText = names.length === 0 || (names.length === 1 && names[0] === 'message');
  return {
    id: toSkillId(exposed),
    name: item.exposedName ?? capability.capabilityName,
    description: [description, isText ? '' : `Parameters: ${names.join(', ')}`].filter(Boolean).join('\n'),
    tags: [capability.agentId === null ? 'flow' : 'agent'],
  };
}

/** The item that a message is for: the skill that it names, or the entry point, or the only one (D211). @throws A2aRefusal */
export function selectItem(items: readonly ExposedItem[], skillId: string | undefined): ExposedItem {
  const named = items.find((each) => toSkillId(each) === skillId);
  if (named) return named;
  const entry = items.find(({ item }) => item.isEntryPoint) ?? (items.length === 1 ? items[0] : undefined);
  if (entry && skillId === undefined) return entry;
  const ids = items.map(toSkillId).join(', ') || 'none';
  const what = skillId === undefined ? 'Name a skill in message.metadata.skillId' : 'There is no such skill';
  throw new A2aRefusal('malformed', `${what}. The skills are: ${ids}`);
}

/** The item of a task, which may have been disabled since. @throws A2aRefusal */
export function itemOfTask(items: readonly ExposedItem[], { itemId }: A2aTask): ExposedItem {
  const found = items.find(({ item }) => item.id === itemId);
  if (found) return found;
  throw new A2aRefusal('unsupported', 'The skill of the task is not offered any more');
}
