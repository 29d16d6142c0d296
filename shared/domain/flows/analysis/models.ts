import { modelNameProblem } from '../../model-configs/model-name-problem.ts';
import { runtimeToolsIn } from '../checking/runtime-tools.ts';
import type { StepNode } from '../checking/step-nodes.ts';
import { type Finding, finding } from './finding.ts';

/** Finds models that are not in the catalog and do not name a known provider. */
export async function unknownModels(visits: readonly StepNode[]): Promise<Finding[]> {
  const problems = new Map<string, string | undefined>();
  const findings: Finding[] = [];
  for (const visit of visits) {
    for (const { name, path } of modelsIn(visit.step.config)) {
      if (!problems.has(name)) problems.set(name, await modelNameProblem(name));
      const message = problems.get(name);
      if (message) findings.push(finding(visit, path, 'UNKNOWN_MODEL', message, { model: name }));
    }
  }
  return findings;
}

interface Named {
  name: string;
  path: PropertyKey[];
}

export function modelsIn(config: Record<string, unknown>): Named[] {
  const { fallbacks } = (config.errorHandling ?? {}) as { fallbacks?: unknown };
  const list: unknown[] = Array.isArray(fallbacks) ? fallbacks : [];
  return [
    ...named(config, 'model', ['config']),
    ...named(config, 'embeddingModel', ['config']),
    ...advisorsIn(config).flatMap(({ tool, at }) => named(tool, 'model', at)),
    ...list.flatMap((fallback, n) => named(fallback, 'model', ['config', 'errorHandling', 'fallbacks', n])),
  ];
}

/** The configs of the runtime tools that ask another model. */
const advisorsIn = (config: Record<string, unknown>) =>
  runtimeToolsIn(config).flatMap(({ toolType, config: tool, path }) =>
    toolType === 'advisor' ? [{ tool, at: [...path, 'config'] }] : [],
  );

function named(holder: unknown, member: string, path: PropertyKey[]): Named[] {
  const name = (holder as Record<string, unknown> | null | undefined)?.[member];
  return typeof name === 'string' && name !== '' ? [{ name, path: [...path, member] }] : [];
}
