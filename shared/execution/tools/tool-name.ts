import { trimTrailing } from '../../core/text.ts';
import type { RunnableTool } from './call-tool.ts';

/** A name that every model provider accepts: `^[a-zA-Z0-9_-]{1,64}$`. */
export function toToolName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-zA-Z0-9_-]+/g, '_')
    .replace(/^_+/, '');
  return trimTrailing(plain, '_').slice(0, 64) || 'tool';
}

const nameMax = 64;

/** Providers accept only these characters, and reject two tools of one name. */
export function makeNamesUnique(tools: readonly RunnableTool[]): RunnableTool[] {
  const used = new Set<string>();
  return tools.map((tool) => {
    let name = tool.name;
    for (let count = 2; used.has(name); count++) {
      const suffix = `_${count}`;
      name = `${tool.name.slice(0, nameMax - suffix.length)}${suffix}`;
    }
    used.add(name);
    return name === tool.name ? tool : { ...tool, name, otherNames: [...(tool.otherNames ?? []), tool.name] };
  });
}
