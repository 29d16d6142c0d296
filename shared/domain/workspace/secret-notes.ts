import { walkTexts } from '../../core/json/json-texts.ts';
import { secretKeysInScript, secretKeysInTemplate } from '../../core/variables/secret-references.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { covers } from '../../platform/identity/permissions.ts';
import { findSecrets } from '../secrets/find-secrets.ts';
import type { Lists } from './snapshot.ts';

/** Secrets that a document references, and that have no value. */
export const secretNotes = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope) =>
    async (sent: Lists, permissions: readonly string[]): Promise<string[]> => {
      const keys = [...new Set([...walkTexts(sent, [], levelsMax)].flatMap(listKeys))];
      if (keys.length === 0) return [];
      if (!covers(permissions, 'SECRETS:READ'))
        return keys.map(
          (key) => `The document uses the secret ${key}. Whether it has a value here, SECRETS:READ shows`,
        );
      const found = await findSecrets(table, keys);
      return keys
        .filter((key) => found.get(key)?.status !== 'active')
        .map((key) => `The secret ${key} has no value here. Store it with POST /v1/secrets`);
    },
);

const levelsMax = 100;

const listKeys = ({ text, path }: { text: string; path: readonly PropertyKey[] }) =>
  ['script', 'code'].includes(String(path.at(-1))) ? secretKeysInScript(text) : secretKeysInTemplate(text);
