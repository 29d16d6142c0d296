import { type ResolvedModel, resolveModel } from '../../adapters/models/catalog.ts';
import { providerKeys } from '../../adapters/models/provider-keys.ts';
import type { Need } from '../../platform/data/scope.ts';

/** What a tenant means by a model's name, and with which credentials it is called: the deployment's. @throws StepError */
export const modelResolver: Need<(name: string) => Promise<ResolvedModel>> = () => async (name) =>
  resolveModel(name, await providerKeys());
