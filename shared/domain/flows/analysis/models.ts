import { findModelNameProblem } from '../../model-configs/model-name-problem.ts';
import { listRuntimeTools, type StepNode } from '../checking/step-nodes.ts';
import { createFinding, type Finding } from './finding.ts';

/** Finds models that are not in the catalog and do not name a known provider. */
export async function findUnknownModels(visits: readonly StepNode[]): Promise<Finding[]> {
  const problems = new Map<string, string | undefined>();
  const findings: Finding[] = [];
  for (const visit of visits) {
    for (const { name, path } of listModels(visit.step.config)) {
      if (!problems.has(name)) problems.set(name, await findModelNameProblem(name));
      const message = problems.get(name);
      if (message) findings.push(createFinding(visit, path, 'UNKNOWN_MODEL', message, { model: name }));
    }
  }
  return findings;
}

interface Named {
  name: string;
  path: PropertyKey[];
}

export function listModels(config: Record<string, unknown>): Named[] {
  const { fallbacks } = (config.errorHandling ?? {}) as { fallbacks?: unknown };
  const list: unknown[] = Array.isArray(fallbacks) ? fallbacks : [];
  return [
    ...toNamed(config, 'model', ['config']),
    ...toNamed(config, 'embeddingModel', ['config']),
    ...listAdvisors(config).flatMap(({ tool, at }) => toNamed(tool, 'model', at)),
    ...list.flatMap((fallback, n) => toNamed(fallback, 'model', ['config', 'errorHandling', 'fallbacks', n])),
  ];
}

/** The configs of the runtime tools that ask another model. */
const listAdvisors = (config: Record<string, unknown>) =>
  listRuntimeTools(config).flatMap(({ toolType, config: tool, path }) =>
    toolType === 'advisor' ? [{ tool, at: [...path, 'config'] }] : [],
  );

function toNamed(holder: unknown, member: string, path: PropertyKey[]): Named[] {
  const name = (holder as Record<string, unknown> | null | undefined)?.[member];
  return typeof name === 'string' && name !== '' ? [{ name, path: [...path, member] }] : [];
}
