import { isObject, type JsonObject } from '../../../ui/values/schema.ts';

/** What makes `after` of `before` when it is merged into it: a removed member is null. */
export function agentPatch(before: unknown, after: JsonObject): JsonObject {
  const old = isObject(before) ? before : {};
  const removed = Object.keys(old).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.entries(after).flatMap(([name, value]) => {
    if (JSON.stringify(old[name]) === JSON.stringify(value)) return [];
    return [[name, isObject(value) && isObject(old[name]) ? agentPatch(old[name], value) : value] as const];
  });
  return { ...Object.fromEntries(removed.map((name) => [name, null])), ...Object.fromEntries(changed) };
}
