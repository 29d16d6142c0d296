import { resolveModel } from '../../adapters/models/catalog.ts';
import { providerKeys } from '../../adapters/models/provider-keys.ts';
import type { ResolvedModel } from '../../adapters/models/resolved-model.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** Resolves a model's name for a tenant, with the deployment's credentials. @throws StepError */
export const modelResolver = /* @__PURE__ */ using(
  ['provider-keys'],
  (_scope: Scope) =>
    async (name: string): Promise<ResolvedModel> =>
      resolveModel(name, await providerKeys()),
);
