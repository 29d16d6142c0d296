import { isObject, type JsonObject } from '../../../ui/values/schema.ts';

/** The config of an agent with the members that the form shows first, set or not. */
export function withDefaultMembers(config: unknown): JsonObject {
  const set = isObject(config) ? config : {};
  if ('endpoint' in set || 'agentCardUrl' in set) return set;
  const { tools, loopConfig } = set;
  return {
    model: '',
    systemPrompt: '',
    ...set,
    tools: { toolIds: [], ...(isObject(tools) && tools) },
    loopConfig: isObject(loopConfig) ? loopConfig : {},
  };
}

/** Without the members that are empty. */
export function withoutEmptyMembers(config: JsonObject): JsonObject {
  const members = Object.entries(config).map(([name, value]) => [
    name,
    name === 'tools' && isObject(value) ? withoutEmptyMembers(value) : value,
  ]);
  return Object.fromEntries(members.filter(([, value]) => !isEmpty(value)));
}

const isEmpty = (value: unknown) =>
  value === '' ||
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);
