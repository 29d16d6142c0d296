import { conversationPayloads } from '../../../shared/domain/conversations/conversation.ts';
import { expiringPayloads } from '../../resources.ts';

/** The names of a tenant's payload objects that a stored item names, each once. */
export function pointersIn(item: unknown, tenant: string): string[] {
  const found = new Set<string>();
  collect(
    item,
    ['', conversationPayloads, ...Object.keys(expiringPayloads)].map((root) => `${root}${tenant}/`),
    found,
  );
  return [...found];
}

/** A pointer is the member `pointer` of a value, or an element of a summary's `pointers`. */
function collect(value: unknown, prefixes: readonly string[], found: Set<string>): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  const { pointer, pointers } = value as { pointer?: unknown; pointers?: unknown };
  for (const name of [pointer, pointers].flat())
    if (typeof name === 'string' && prefixes.some((prefix) => name.startsWith(prefix))) found.add(name);
  for (const member of Object.values(value)) collect(member, prefixes, found);
}
