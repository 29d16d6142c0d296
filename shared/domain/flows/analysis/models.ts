import { isListed } from '../../../adapters/models/catalog.ts';
import { isProviderName, providerNames } from '../../../adapters/models/provider-names.ts';
import { isConfigId } from '../../model-configs/model-account.ts';
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

/** The models that a config references. */
export function modelsIn(config: Record<string, unknown>): Named[] {
  const { fallbacks } = (config.errorHandling ?? {}) as { fallbacks?: unknown };
  const list: unknown[] = Array.isArray(fallbacks) ? fallbacks : [];
  return [
    ...named(config, 'model', ['config']),
    ...named(config, 'embeddingModel', ['config']),
    ...list.flatMap((fallback, n) => named(fallback, 'model', ['config', 'errorHandling', 'fallbacks', n])),
  ];
}

function named(holder: unknown, member: string, path: PropertyKey[]): Named[] {
  const name = (holder as Record<string, unknown> | null | undefined)?.[member];
  return typeof name === 'string' && name !== '' ? [{ name, path: [...path, member] }] : [];
}

/** Why the catalog has no model of a name; undefined for the names of a tenant’s configs. */
export async function modelNameProblem(name: string): Promise<string | undefined> {
  // Only the check of the account knows the tenant's configs.
  if (name === 'default' || isConfigId(name) || (await isListed(name))) return undefined;
  const [, provider, modelId] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
  if (!provider || !modelId) {
    return `The catalog has no model ${name}; write models outside of the catalog as <provider>/${name}`;
  }
  if (!isProviderName(provider)) {
    return `There is no model provider ${provider}; expected one of ${providerNames.join(', ')}`;
  }
  // A generic server may have any model.
  if (provider === 'generic-openai' || (await isListed(modelId, provider))) return undefined;
  return `The catalog does not list the model ${modelId} of ${provider}; check its name, or ignore this if the model is new`;
}
