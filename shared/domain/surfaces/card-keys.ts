import { type CardKey, parseCardKey } from '../../adapters/a2a-server/card-key.ts';
import { invalidAt } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { secretValues } from '../secrets/secret-values.ts';
import type { Surface } from './surface/surface.ts';
import { cardSecretKey } from './surface/surface-behavior.ts';

type Signing = Pick<Surface, 'id' | 'type' | 'behavior'>;

/** The keys by which a2a surfaces sign their agent cards. Never store or return their private parts. */
export const cardKeys = /* @__PURE__ */ using([secretValues], (scope: Scope) => {
  async function read(secretKey: string): Promise<{ key: CardKey } | { problem: string }> {
    const value = (await secretValues(scope)([secretKey])).get(secretKey);
    if (value === undefined) return { problem: `There is no secret ${secretKey} with a value` };
    return parseCardKey(value);
  }

  return {
    /** Undefined without a key, and if its secret has no key any more: then the card is not signed (D214). */
    async findCardKey(surface: Signing): Promise<CardKey | undefined> {
      const secretKey = cardSecretKey(surface);
      if (secretKey === undefined) return undefined;
      const found = await read(secretKey);
      if ('key' in found) return found.key;
      const { problem } = found;
      log.warn('An agent card cannot be signed', { surfaceId: surface.id, secretKey, problem });
      return undefined;
    },

    /** @throws 400 that says why the secret cannot sign the card */
    async check(surface: Signing): Promise<void> {
      const secretKey = cardSecretKey(surface);
      const found = secretKey === undefined ? undefined : await read(secretKey);
      if (found && 'problem' in found) {
        throw invalidAt('behavior.cardSigning.secret', 'INVALID_VALUE', found.problem);
      }
    },
  };
});
