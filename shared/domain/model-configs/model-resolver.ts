import { type ResolvedModel, resolveModel } from '../../adapters/models/catalog.ts';
import { providerKeys } from '../../adapters/models/provider-keys.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** What a tenant means by a model's name, and with which credentials it is called: the deployment's. @throws StepError */
export const modelResolver = /* @__PURE__ */ using(
  ['provider-keys'],
  (_scope: Scope) =>
    async (name: string): Promise<ResolvedModel> =>
      resolveModel(name, await providerKeys()),
);
