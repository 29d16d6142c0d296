import { toDetail } from '../../../core/errors/errors.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { readModelAccount } from '../../model-configs/model-account.ts';
import type { DocumentEntry, DocumentProblem, WorkspaceKind } from './kind.ts';
import { mapReferences } from './references.ts';

const getName = ({ provider, modelId }: Record<string, unknown>) => `${provider}/${modelId}`;

export const modelConfigsKind: WorkspaceKind = {
  group: 'MODELS',
  noun: 'model config',
  limited: 'model configs',
  nameMember: 'name',
  getName,
  isNameDerived: true,
  defaults: { providerKeyId: null, settings: {}, limits: {}, isEnabled: true, isDefault: false },
  kept: ['isDefault'],
  problems: findNameProblems,
  references: mapReferences({ providerKeyId: 'providerKeys' }),
  read: /* @__PURE__ */ using(['table:read'], ({ table }: Scope) => async () => {
    const { configs, defaults } = await readModelAccount(table);
    return configs.map(({ id, provider, modelId, providerKeyId, settings, limits = {}, isEnabled }) => {
      const isDefault = id === defaults.modelConfigId;
      return {
        id,
        content: { provider, modelId, providerKeyId, settings, limits, isEnabled, isDefault },
      };
    });
  }),
};

/** Another name would not be found again. */
function findNameProblems({ key, content, path }: DocumentEntry): DocumentProblem[] {
  const name = getName(content);
  if (key === name || (key.startsWith(`${name} (`) && /^\(\d+\)$/.test(key.slice(name.length + 1))))
    return [];
  const message = `A model config has the name of its provider and model: "${name}"`;
  return [{ ...toDetail([...path, 'name'], 'INVALID_VALUE', message), at: path }];
}
