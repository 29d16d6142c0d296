import type { RunnableTool } from './runnable-tool.ts';

const nameMax = 64;

/** Providers accept only these characters, and reject two tools of one name. */
export function withUniqueNames(tools: readonly RunnableTool[]): RunnableTool[] {
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
