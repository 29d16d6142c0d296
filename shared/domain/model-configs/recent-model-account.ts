import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type ModelAccount, readModelAccount } from './model-account.ts';

const sharedForMs = 2_000;
const recent = new WeakMap<Scope, { at: number; reading: Promise<ModelAccount> }>();

/** Runs of one scope that start within two seconds share what the first one has read. */
export const recentModelAccount = /* @__PURE__ */ using(
  ['table:read'],
  (scope: Scope): Promise<ModelAccount> => {
    const at = scope.now().getTime();
    const cached = recent.get(scope);
    if (cached && Math.abs(at - cached.at) < sharedForMs) return cached.reading;
    const reading = readModelAccount(scope.table);
    recent.set(scope, { at, reading });
    reading.catch(() => recent.delete(scope));
    return reading;
  },
);
