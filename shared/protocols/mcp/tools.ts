import type { Tool } from '@modelcontextprotocol/server';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';

/** What the protocol allows. */
const toolName = /^[\w.-]{1,128}$/;

export interface ItemTool {
  exposed: ExposedItem;
  tool: Tool;
}

/** @param all The items of the surface, also those that the caller may not run. */
export function itemTools(items: readonly ExposedItem[], all: readonly ExposedItem[]): ItemTool[] {
  const slugs = endpointSlugs(all);
  return items.map((exposed) => ({ exposed, tool: toolOf(exposed, exposedToolName(exposed, slugs)) }));
}

export const endpointSlugs = (all: readonly ExposedItem[]): ReadonlySet<string | null> =>
  new Set(all.map(({ item }) => item.endpointSlug));

/** The exposed name if it can be one, else the slug. An item without a slug is older than the tools. */
export function exposedToolName({ item }: ExposedItem, slugs: ReadonlySet<string | null>): string {
  const { exposedName, endpointSlug, id } = item;
  const isFree = exposedName !== null && toolName.test(exposedName) && !slugs.has(exposedName);
  return isFree ? exposedName : (endpointSlug ?? id);
}

function toolOf(exposed: ExposedItem, name: string): Tool {
  return {
    ...describedAs(exposed, name),
    inputSchema: { ...exposed.capability.parametersSchema, type: 'object' },
  };
}

export function describedAs({ item, capability }: ExposedItem, name: string) {
  const description = item.exposedDescription ?? capability.capabilityDescription;
  return {
    name,
    title: item.exposedName ?? capability.capabilityName,
    ...(description && { description }),
  };
}
